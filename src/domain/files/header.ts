// Rules about uploaded files: which column holds which field, whatever program wrote the file.
import { columnsOf, elementColumn, type ImportKind } from "../imports/fields.js";
import { limits, listNames } from "../imports/limits.js";
import { uuidPattern } from "../uuid.js";

/** The error report's own columns. People upload a corrected report as it is, so these columns are recognised and ignored. */
export const reportColumns = ["Row number", "Rejection reason"] as const;

export type KnownColumns = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Keys of custom fields; each is a column by its key or as `customFields.<key>`. */
  readonly custom: readonly string[];
  readonly ignored: readonly string[];
};

export type HeaderMatch =
  | {
      readonly ok: true;
      /** For each column, the field it holds (a custom one as `customFields.<key>`), or undefined if the column is ignored. */
      readonly fields: readonly (string | undefined)[];
      /** For each column, the known name that the header's spelling stands for, or an empty text if the column is ignored. */
      readonly names: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** Two spellings have the same result if they differ only in case, blanks, underscores or hyphens. */
export const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_\-\u2010-\u2015\u200b\ufeff]+/gu, "");

export function matchHeader(columns: readonly string[], known: KnownColumns): HeaderMatch {
  const names = knownNames(known);
  const fields = new Array<string | undefined>(columns.length).fill(undefined);
  const canonical = new Array<string>(columns.length).fill("");
  const columnsByField = new Map<string, string[]>();
  const unrecognised: string[] = [];
  const ambiguous: string[] = [];
  columns.forEach((heading, index) => {
    const column = heading.trim();
    if (column === "") return; // a column without a name; the file's reader reports values below it
    const candidates = isTooLong(column) ? noCandidates : (names.exact.get(column) ?? names.folded.get(foldName(column)) ?? noCandidates);
    const [[field, name] = [undefined, ""]] = candidates;
    if (candidates.size === 0) unrecognised.push(column);
    else if (candidates.size > 1) ambiguous.push(`${column} (${[...candidates.keys()].join(" or ")})`);
    else if (field !== undefined) {
      fields[index] = field;
      canonical[index] = name;
      columnsByField.set(field, [...(columnsByField.get(field) ?? []), column]);
    }
  });
  const repeated = [...columnsByField.values()].filter(({ length }) => length > 1).map((same) => same.join(" and "));
  const faults = [
    sentence(
      "Missing required column(s)",
      known.required.filter((field) => !columnsByField.has(field)),
    ),
    sentence("Unrecognised column(s)", unrecognised),
    sentence("Repeated column(s)", repeated),
    sentence("Ambiguous column(s)", ambiguous),
  ].filter((fault) => fault !== "");
  return faults.length === 0
    ? { ok: true, fields, names: canonical }
    : { ok: false, message: ["Invalid file structure.", ...faults].join(" ") };
}

/** Checked before folding, which would turn a known name with thousands of hyphens around it into that name. */
const isTooLong = (column: string): boolean => Buffer.byteLength(column) > limits.columnNameBytes;

/** The fields that a heading may stand for, each with its known name. The field of an ignored column is `undefined`. */
type Candidates = ReadonlyMap<string | undefined, string>;
type Names = Map<string, Map<string | undefined, string>>;

const noCandidates: Candidates = new Map();

function knownNames({ required, optional, custom, ignored }: KnownColumns): { exact: Names; folded: Names } {
  const exact: Names = new Map();
  const folded: Names = new Map();
  const add = (name: string, field: string | undefined) => {
    exact.set(name, (exact.get(name) ?? new Map()).set(field, name));
    const sameFolded: Map<string | undefined, string> = folded.get(foldName(name)) ?? new Map();
    folded.set(foldName(name), sameFolded.has(field) ? sameFolded : sameFolded.set(field, name));
  };
  for (const field of [...required, ...optional]) add(field, field);
  const contractNames = new Set(folded.keys());
  for (const key of custom) {
    // A field of the contract keeps its name. A custom field with the same key is then found by its long name alone.
    if (!contractNames.has(foldName(key))) add(key, `customFields.${key}`);
    add(`customFields.${key}`, `customFields.${key}`);
  }
  const usedNames = new Set(folded.keys());
  for (const name of ignored) if (!usedNames.has(foldName(name))) add(name, undefined);
  return { exact, folded };
}

const sentence = (label: string, names: readonly string[]): string => (names.length === 0 ? "" : `${label}: ${listNames(names)}.`);

/** Why a file with this name and content is not accepted. A workbook whose name ends in .csv is accepted; text named .xlsx is not. */
export function fileNameFault(name: string, format: "csv" | "xlsx"): string | undefined {
  const extension = /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === "xls") return "The .xls format is not supported. Re-save it as .csv or .xlsx.";
  if (extension !== "csv" && extension !== "xlsx")
    return "The file's type is not supported. Upload a file whose name ends in .csv or .xlsx.";
  if (extension === "xlsx" && format === "csv")
    return "The file cannot be read as .xlsx: it is text, or damaged. Re-save it as .csv or .xlsx.";
  return undefined;
}

interface ImportFile {
  readonly kind: ImportKind;
  readonly source: "data" | "file";
  /** The keys of the organisation's custom fields, which only shipments have. */
  readonly customFieldKeys: Iterable<string>;
}

/** Matches the header row of an import's file, which may have been made from a JSON push. */
export function matchImportHeader(columns: readonly string[], { kind, source, customFieldKeys }: ImportFile): HeaderMatch {
  const names = columnsOf(kind).map(({ name }) => name);
  return matchHeader(columns, {
    required: columnsOf(kind).flatMap(({ name, required }) => (required ? [name] : [])),
    optional: source === "data" ? [...names, elementColumn] : names,
    custom: kind === "shipments" ? [...customFieldKeys] : [],
    ignored: reportColumns,
  });
}

/** The subject in the properties of a report's workbook. Spreadsheet programs keep it when the report is edited and saved. */
export const reportSubject = (importId: string): string => `Rejected rows of import ${importId}`;

const anyImportId = new RegExp(uuidPattern, "i");

interface UploadedFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly subject?: string | undefined;
}

/** Undefined unless the file has both of an error report's own columns. `importId`: the report's import, if workbook or name says it. */
export function recogniseReport({ name, columns, subject = "" }: UploadedFile) {
  if (reportColumns.some((column) => columnIndex(columns, column) === -1)) return undefined;
  const importId = anyImportId.exec(subject)?.[0] ?? anyImportId.exec(name)?.[0];
  return { importId: importId?.toLowerCase() };
}

/** The index of the column with the row numbers; -1 if there is none. */
export const rowNumberColumn = (columns: readonly string[]): number => columnIndex(columns, reportColumns[0]);

const columnIndex = (columns: readonly string[], wanted: string): number =>
  columns.findIndex((column) => foldName(column.trim()) === foldName(wanted));
