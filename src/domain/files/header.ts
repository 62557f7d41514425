// Pure rules about uploaded files: which column is which field, whatever the program that wrote them.
import { columnsOf, elementColumn, type Kind } from "../imports/fields.js";
import { firstNames, limits } from "../imports/limits.js";
import { uuidPattern } from "../uuid.js";

/** The error report's own columns: a corrected report is uploaded as it is, so they are recognised and left out. */
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
      /** By column, from 0: the field it holds (a custom one as `customFields.<key>`), or undefined where it is to be left out. */
      readonly fields: readonly (string | undefined)[];
      /** By column: the known name that the header's spelling stands for, or nothing where it is to be left out. */
      readonly names: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** Two spellings are one name when they differ only in case, blanks, underscores or hyphens. */
export const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_\-\u2010-\u2015\u200b\ufeff]+/gu, "");

export function matchHeader(columns: readonly string[], known: KnownColumns): HeaderMatch {
  const names = knownNames(known);
  const fields = new Array<string | undefined>(columns.length).fill(undefined);
  const canonical = new Array<string>(columns.length).fill("");
  const columnsOf = new Map<string, string[]>();
  const unrecognised: string[] = [];
  const ambiguous: string[] = [];
  columns.forEach((given, index) => {
    const column = given.trim();
    if (column === "") return; // a column without a name; the file's reader reports values below it
    const candidates = isTooLong(column) ? noCandidates : (names.exact.get(column) ?? names.folded.get(foldName(column)) ?? noCandidates);
    const [[field, name] = [undefined, ""]] = candidates;
    if (candidates.size === 0) unrecognised.push(column);
    else if (candidates.size > 1) ambiguous.push(`${column} (${[...candidates.keys()].join(" or ")})`);
    else if (field !== undefined) {
      fields[index] = field;
      canonical[index] = name;
      columnsOf.set(field, [...(columnsOf.get(field) ?? []), column]);
    }
  });
  const repeated = [...columnsOf.values()].filter((same) => same.length > 1).map((same) => same.join(" and "));
  const faults = [
    sentence(
      "Missing required column(s)",
      known.required.filter((field) => !columnsOf.has(field)),
    ),
    sentence("Unrecognised column(s)", unrecognised),
    sentence("Repeated column(s)", repeated),
    sentence("Ambiguous column(s)", ambiguous),
  ].filter((fault) => fault !== "");
  return faults.length === 0
    ? { ok: true, fields, names: canonical }
    : { ok: false, message: ["Invalid file structure.", ...faults].join(" ") };
}

/** Checked before folding, which would make a known name of one that is padded with thousands of hyphens. */
const isTooLong = (column: string): boolean => Buffer.byteLength(column) > limits.columnNameBytes;

/** By field, the name it is known by; `undefined` stands for a column that is known and left out. */
type Candidates = ReadonlyMap<string | undefined, string>;
type Names = Map<string, Map<string | undefined, string>>;

const noCandidates: Candidates = new Map();

function knownNames({ required, optional, custom, ignored }: KnownColumns): { exact: Names; folded: Names } {
  const exact: Names = new Map();
  const loose: Names = new Map();
  const add = (name: string, field: string | undefined) => {
    exact.set(name, (exact.get(name) ?? new Map()).set(field, name));
    const alike: Map<string | undefined, string> = loose.get(foldName(name)) ?? new Map();
    loose.set(foldName(name), alike.has(field) ? alike : alike.set(field, name));
  };
  for (const field of [...required, ...optional]) add(field, field);
  const contract = new Set(loose.keys());
  for (const key of custom) {
    // A field of the contract keeps its name. A custom field with the same key is then found by its long name alone.
    if (!contract.has(foldName(key))) add(key, `customFields.${key}`);
    add(`customFields.${key}`, `customFields.${key}`);
  }
  const taken = new Set(loose.keys());
  for (const name of ignored) if (!taken.has(foldName(name))) add(name, undefined);
  return { exact, folded: loose };
}

const sentence = (label: string, names: readonly string[]): string => (names.length === 0 ? "" : `${label}: ${firstNames(names)}.`);

/** Why a file of this name is not taken. The content says what a file is; the name must not say that it is something else. */
export function nameFault(name: string, format: "csv" | "xlsx"): string | undefined {
  const extension = /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === "xls") return "The .xls format is not supported. Re-save it as .csv or .xlsx.";
  if (extension !== "csv" && extension !== "xlsx")
    return "The file's type is not supported. Upload a file whose name ends in .csv or .xlsx.";
  if (extension === "xlsx" && format === "csv")
    return "The file cannot be read as .xlsx: it is text, or damaged. Re-save it as .csv or .xlsx.";
  return undefined;
}

interface Import {
  readonly kind: Kind;
  readonly source: "data" | "file";
  /** The organisation's own; only shipments carry them. */
  readonly customFieldKeys: Iterable<string>;
}

/** The header row of an import's file, also of the file that a JSON push was turned into. */
export function matchImportHeader(columns: readonly string[], { kind, source, customFieldKeys }: Import): HeaderMatch {
  const names = columnsOf(kind).map(({ name }) => name);
  return matchHeader(columns, {
    required: columnsOf(kind).flatMap(({ name, required }) => (required ? [name] : [])),
    optional: source === "data" ? [...names, elementColumn] : names,
    custom: kind === "shipments" ? [...customFieldKeys] : [],
    ignored: reportColumns,
  });
}

/** The subject in the workbook's properties. Spreadsheet programs keep it when the report is edited and saved. */
export const reportSubject = (importId: string): string => `Rejected rows of import ${importId}`;

const anyImportId = new RegExp(uuidPattern, "i");

interface UploadedFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly subject?: string | undefined;
}

/** The import that a report is of, where the workbook or the file's name says so. Undefined for a file without both of the report's own columns. */
export function reportFileIn({ name, columns, subject = "" }: UploadedFile) {
  if (reportColumns.some((column) => columnNumber(columns, column) === -1)) return undefined;
  const importId = anyImportId.exec(subject)?.[0] ?? anyImportId.exec(name)?.[0];
  return { importId: importId?.toLowerCase() };
}

/** The column of the row numbers, from 0; -1 where there is none. */
export const rowNumberColumn = (columns: readonly string[]): number => columnNumber(columns, reportColumns[0]);

const columnNumber = (columns: readonly string[], wanted: string): number =>
  columns.findIndex((column) => foldName(column.trim()) === foldName(wanted));
