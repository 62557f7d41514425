// src/judging judges a submission's rows: for the importer, for corrections, and for checks before anything is recorded. This file matches
// the header with the fields, and reads the rows.
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../domain/files/header.js";
import { applyChoice, type ColumnChoice } from "../domain/imports/columns/choice.js";
import { type DateOrder, toIsoDate } from "../domain/imports/columns/dateOrder.js";
import { formatNumber } from "../domain/imports/columns/decimal.js";
import { fileHeadings } from "../domain/imports/columns/headings.js";
import { columnsOf, type ImportKind, isNumberField } from "../domain/imports/fields.js";
import type { Cell, Columns } from "../domain/rows/cells.js";
import { decimalMarkOf, type ImportRequested } from "../events/importEvents.js";
import type { FileRow, FileSource, ReadOptions, RowBatch, Spreadsheets } from "../ports/spreadsheets.js";
import { ImportFault } from "./importFault.js";

/** The part of an import's ImportRequested that judging needs. A file that is only checked has no more than this. */
export interface SubmissionRequest extends Pick<ImportRequested, "kind" | "source" | "corrects"> {
  readonly file: Pick<ImportRequested["file"], "name" | "format">;
  /** Which field each column holds, where the headings are not the contract's. */
  readonly columns?: ColumnChoice | undefined;
}

/** A row to which the choice of columns has been applied: dates are in ISO 8601, fixed values are added. */
export interface SubmittedRow extends FileRow {
  /** The cells as the file has them, if the choice has changed them. */
  readonly sent?: FileRow["cells"];
}

interface SubmittedRows {
  readonly rows: readonly SubmittedRow[];
}

export interface OpenSubmission {
  readonly columns: Columns;
  /** The columns' names as the file spells them. */
  readonly headings: readonly string[];
  /** The columns of the error report: all of the file's columns, under the file's own headings. */
  readonly reportedColumns: Columns;
  /** Remarks on the header, for the customer. Those on the rows are in the batches of `read`. */
  readonly notes: readonly string[];
  /** Reads every row from the file. */
  read(): AsyncIterable<RowBatch & SubmittedRows>;
  /** Reads the rows another time, in the same order. Called after `read`. */
  readAgain(): AsyncIterable<SubmittedRows>;
}

export async function openSubmission(
  spreadsheets: Spreadsheets,
  request: SubmissionRequest,
  catalogue: Catalogue,
  files: { source: FileSource; folder: string },
): Promise<OpenSubmission> {
  const { kind, columns: choice } = request;
  const { format, name } = request.file;
  const header = await spreadsheets.readHeader(files.source, name);
  const { columns, fixed } = matchColumns(header.columns, request, catalogue);
  const headings = header.columns.map((name) => name.trim());
  const reportedColumns = { names: headings, fields: choice ? fileHeadings(header.columns) : columns.fields };
  const mapCells = cellMapper({ kind, fields: columns.fields, fixed, dateOrder: choice?.dateOrder });
  const common = { columns, headings, reportedColumns, notes: header.notes };
  const timeFields = columnsOf(kind).filter(({ type }) => type === "time");
  const dateColumns = new Set(timeFields.map(({ name }) => columns.fields.indexOf(name)));
  const numberToText = numberWriter(columns, kind);
  const readFile = () => spreadsheets.readRows(files.source, { format, dateColumns, numberToText });
  if (format === "csv") {
    const batches = keepOnlyBatch(readFile);
    return { ...common, read: () => mapBatches(batches.read(), mapCells), readAgain: () => mapBatches(batches.readAgain(), mapCells) };
  }
  const spool = join(files.folder, "rows");
  const readAgain = () => mapBatches(readSpooledRows(spool), mapCells);
  return { ...common, read: () => mapBatches(spoolRows(spool, readFile()), mapCells), readAgain };
}

/** Writes a workbook's numeric cells with the decimal mark that the file declares, so that they are read back unchanged. */
function numberWriter({ fields, decimal }: Columns, kind: SubmissionRequest["kind"]): ReadOptions["numberToText"] {
  const numberFields = new Set<string>(columnsOf(kind).flatMap((field) => (isNumberField(field) ? [field.name] : [])));
  const isNumeric = fields.map((field) => field !== undefined && numberFields.has(field));
  return decimal && ((text, column) => (isNumeric[column] ? formatNumber(text, decimal) : text));
}

type MapCells = ReturnType<typeof cellMapper>;

async function* mapBatches<B extends SubmittedRows>(batches: AsyncIterable<B>, mapCells: MapCells): AsyncGenerator<B & SubmittedRows> {
  const mapRow = (row: FileRow): SubmittedRow => {
    const cells = mapCells(row.cells);
    return cells === row.cells ? row : { ...row, cells, sent: row.cells };
  };
  for await (const batch of batches) yield { ...batch, rows: batch.rows.map(mapRow) };
}

/** Matches the header again: the API did so before it queued the import, but the organisation's custom fields may have changed since. */
function matchColumns(
  names: readonly string[],
  request: SubmissionRequest,
  catalogue: Catalogue,
): { columns: Columns; fixed: readonly string[] } {
  const { kind, source, columns: choice } = request;
  const applied = choice && applyChoice(names, choice, { kind, customFields: catalogue.file.customFields });
  const match = applied ?? matchImportHeader(names, { kind, source, customFieldKeys: catalogue.customFieldKeys });
  if (!match.ok) throw new ImportFault(match.message);
  const fixed = applied?.ok ? applied.fixed : [];
  return { columns: { names: match.names, fields: match.fields, decimal: decimalMarkOf(request) }, fixed };
}

interface CellMapping {
  readonly kind: ImportKind;
  readonly fields: readonly (string | undefined)[];
  readonly fixed: readonly string[];
  readonly dateOrder?: DateOrder | undefined;
}

/** Rewrites dates to ISO 8601 where their order is declared, and adds the fixed values after the file's own cells. */
export function cellMapper({ kind, fields, fixed, dateOrder }: CellMapping): (cells: readonly Cell[]) => readonly Cell[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  const dates = dateOrder === undefined ? [] : fields.flatMap((field, index) => (field !== undefined && times.has(field) ? [index] : []));
  if (dates.length === 0 && fixed.length === 0) return (cells) => cells;
  return (cells) => {
    const mapped = cells.slice();
    for (const value of fixed) mapped.push(value);
    for (const index of dates) {
      const cell = mapped[index];
      const date = typeof cell === "string" && dateOrder ? toIsoDate(cell, dateOrder) : undefined;
      if (date !== undefined) mapped[index] = date;
    }
    return mapped;
  };
}

/** Keeps the rows if they come as one batch. Opening such a small file again would take longer than judging its rows. */
function keepOnlyBatch(readFile: () => AsyncIterable<RowBatch>) {
  let keptBatches: readonly RowBatch[] = [];
  return {
    async *read() {
      let batches = 0;
      for await (const batch of readFile()) {
        batches += 1;
        keptBatches = batches === 1 ? [batch] : [];
        yield batch;
      }
    },
    async *readAgain() {
      yield* keptBatches.length > 0 ? keptBatches : readFile();
    },
  };
}

/** Writes a workbook's rows to a file as lines of JSON while it reads them. Unpacking the workbook a second time would be slow. */
async function* spoolRows<Batch extends SubmittedRows>(path: string, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const file = await open(path, "w");
  try {
    for await (const batch of batches) {
      await file.appendFile(batch.rows.map(({ row, cells, fault }) => `${JSON.stringify([row, cells, fault])}\n`).join(""));
      yield batch;
    }
  } finally {
    await file.close();
  }
}

const rowsPerBatch = 500;

async function* readSpooledRows(path: string): AsyncGenerator<{ rows: FileRow[] }> {
  const file = await open(path);
  try {
    let rows: FileRow[] = [];
    for await (const line of file.readLines()) {
      const [row, cells, fault] = JSON.parse(line) as [number, FileRow["cells"], string | null];
      if (rows.push({ row, cells, fault }) < rowsPerBatch) continue;
      yield { rows };
      rows = [];
    }
    if (rows.length > 0) yield { rows };
  } finally {
    await file.close();
  }
}
