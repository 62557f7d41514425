// src/judging judges a submission's rows: for the importer, for corrections, and for the portal before anything is sent.

import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../domain/files/header.js";
import { applyChoice, type ColumnChoice } from "../domain/imports/columns/choice.js";
import { type DateOrder, isoDate } from "../domain/imports/columns/dateOrder.js";
import { writtenNumber } from "../domain/imports/columns/decimal.js";
import { fileHeadings } from "../domain/imports/columns/headings.js";
import { columnsOf, isNumber, type Kind } from "../domain/imports/fields.js";
import type { Cell, Columns } from "../domain/rows/cells.js";
import { decimalMarkOf, type ImportRequested } from "../events/importEvents.js";
import type { FileRow, FileSource, ReadOptions, RowBatch, Spreadsheets } from "../ports/spreadsheets.js";
import { ImportFault } from "./importFault.js";

/** The part of a request that judging needs. A file that is only checked has no more than this. */
export interface SubmissionRequest extends Pick<ImportRequested, "kind" | "source" | "corrects"> {
  readonly file: Pick<ImportRequested["file"], "name" | "format">;
  /** What its columns are taken for, where its headings are not ours. */
  readonly columns?: ColumnChoice | undefined;
}

/** A row after the choice of columns was applied: dates in ISO 8601, fixed values added. */
export interface SubmittedRow extends FileRow {
  /** The cells as they stand in the file, if the choice changed them. */
  readonly sent?: FileRow["cells"];
}

interface Rows {
  readonly rows: readonly SubmittedRow[];
}

export interface OpenSubmission {
  readonly columns: Columns;
  /** The columns' names as the file spells them. */
  readonly headings: readonly string[];
  /** The columns of the error report: all of the file's columns, under the file's own headings. */
  readonly reported: Columns;
  /** Remarks for the customer on the header. */
  readonly notes: readonly string[];
  /** Reads every row from the file. */
  read(): AsyncIterable<RowBatch & Rows>;
  /** The rows once more, in the same order; after `read`. */
  readAgain(): AsyncIterable<Rows>;
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
  const { columns, fixed } = matchedColumns(header.columns, request, catalogue);
  const headings = header.columns.map((name) => name.trim());
  const reported = { names: headings, fields: choice ? fileHeadings(header.columns) : columns.fields };
  const map = cellMapper({ kind, fields: columns.fields, fixed, dateOrder: choice?.dateOrder });
  const shape = { columns, headings, reported, notes: header.notes };
  const times = columnsOf(kind).filter(({ type }) => type === "time");
  const dateColumns = new Set(times.map(({ name }) => columns.fields.indexOf(name)));
  const writeNumber = numberWriter(columns, kind);
  const fromFile = () => spreadsheets.readRows(files.source, { format, dateColumns, writeNumber });
  if (format === "csv") {
    const batches = keepOnlyBatch(fromFile);
    return { ...shape, read: () => mapBatches(batches.read(), map), readAgain: () => mapBatches(batches.readAgain(), map) };
  }
  const spool = join(files.folder, "rows");
  return { ...shape, read: () => mapBatches(spoolRows(spool, fromFile()), map), readAgain: () => mapBatches(spooledRows(spool), map) };
}

/** Writes a workbook's numeric cells with the decimal mark that was declared for the file, so that they are read back unchanged. */
function numberWriter({ fields, decimal }: Columns, kind: SubmissionRequest["kind"]): ReadOptions["writeNumber"] {
  const numbers = new Set<string>(columnsOf(kind).flatMap((field) => (isNumber(field) ? [field.name] : [])));
  const isNumeric = fields.map((field) => field !== undefined && numbers.has(field));
  return decimal && ((text, column) => (isNumeric[column] ? writtenNumber(text, decimal) : text));
}

type MapCells = ReturnType<typeof cellMapper>;

async function* mapBatches<Batch extends Rows>(batches: AsyncIterable<Batch>, map: MapCells): AsyncGenerator<Batch & Rows> {
  const mapped = (row: FileRow): SubmittedRow => {
    const cells = map(row.cells);
    return cells === row.cells ? row : { ...row, cells, sent: row.cells };
  };
  for await (const batch of batches) yield { ...batch, rows: batch.rows.map(mapped) };
}

/** The API checked the header before it queued the import, but the organisation's custom fields may have changed since. */
function matchedColumns(
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

interface Mapping {
  readonly kind: Kind;
  readonly fields: readonly (string | undefined)[];
  readonly fixed: readonly string[];
  readonly dateOrder?: DateOrder | undefined;
}

/** Writes dates as ISO 8601 has them, where their order was declared, and adds the fixed values after the file's own cells. */
export function cellMapper({ kind, fields, fixed, dateOrder }: Mapping): (cells: readonly Cell[]) => readonly Cell[] {
  const times = new Set<string>(columnsOf(kind).flatMap(({ name, type }) => (type === "time" ? [name] : [])));
  const dates = dateOrder === undefined ? [] : fields.flatMap((field, index) => (field !== undefined && times.has(field) ? [index] : []));
  if (dates.length === 0 && fixed.length === 0) return (cells) => cells;
  return (cells) => {
    const mapped = cells.slice();
    for (const value of fixed) mapped.push(value);
    for (const index of dates) {
      const cell = mapped[index];
      const date = typeof cell === "string" && dateOrder ? isoDate(cell, dateOrder) : undefined;
      if (date !== undefined) mapped[index] = date;
    }
    return mapped;
  };
}

/** The rows of a small file come as one batch, which is kept: opening the file again would take longer than judging them. */
function keepOnlyBatch(readFile: () => AsyncIterable<RowBatch>) {
  let kept: readonly RowBatch[] = [];
  return {
    async *read() {
      let batches = 0;
      for await (const batch of readFile()) {
        batches += 1;
        kept = batches === 1 ? [batch] : [];
        yield batch;
      }
    },
    async *readAgain() {
      yield* kept.length > 0 ? kept : readFile();
    },
  };
}

/** Writes a workbook's rows to a file as lines of JSON: they are read again, and unpacking the workbook again would be slow. */
async function* spoolRows<Batch extends Rows>(path: string, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
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

const rowsAtOnce = 500;

async function* spooledRows(path: string): AsyncGenerator<{ rows: FileRow[] }> {
  const file = await open(path);
  try {
    let rows: FileRow[] = [];
    for await (const line of file.readLines()) {
      const [row, cells, fault] = JSON.parse(line) as [number, FileRow["cells"], string | null];
      if (rows.push({ row, cells, fault }) < rowsAtOnce) continue;
      yield { rows };
      rows = [];
    }
    if (rows.length > 0) yield { rows };
  } finally {
    await file.close();
  }
}
