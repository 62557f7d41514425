// src/commands/imports/judging reads a submission and judges its rows: by the importer, and by the portal before anything is sent.
import { join } from "node:path";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import { matchImportHeader } from "../../../domain/files/header.js";
import { columnsOf } from "../../../domain/imports/fields.js";
import type { Columns } from "../../../domain/rows/cells.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import type { FileRow, RowBatch, RowCount, Spreadsheets } from "../../../ports/spreadsheets.js";
import { ImportFault } from "./importFault.js";
import { spooledRows, spoolRows } from "./rowSpool.js";

/** The part of a request that judging needs. A file that is only checked has no more than this. */
export interface JudgedRequest extends Pick<ImportRequested, "kind" | "source" | "corrects"> {
  readonly file: Pick<ImportRequested["file"], "name" | "format">;
}

export interface OpenSubmission {
  readonly columns: Columns;
  /** The columns' names as the file spells them. */
  readonly headings: readonly string[];
  /** The first reading of every row. */
  read(): AsyncIterable<RowBatch>;
  /** May take the place of `read` where only the number of rows is needed. */
  count(): AsyncIterable<RowCount>;
  /** The second reading, in the same order; after `read` or `count`. */
  readAgain(): AsyncIterable<{ readonly rows: readonly FileRow[] }>;
}

export async function openSubmission(
  spreadsheets: Spreadsheets,
  request: JudgedRequest,
  catalogue: Catalogue,
  files: { path: string; folder: string },
): Promise<OpenSubmission> {
  const { format, name } = request.file;
  const header = await spreadsheets.readHeader(files.path, name);
  const columns = matchedColumns(header.columns, request, catalogue);
  const headings = header.columns.map((name) => name.trim());
  const times = columnsOf(request.kind).filter(({ type }) => type === "time");
  const dateColumns = new Set(times.map(({ name }) => columns.fields.indexOf(name)));
  const fromFile = () => spreadsheets.readRows(files.path, { format, dateColumns });
  if (format === "csv")
    return { columns, headings, read: fromFile, count: () => spreadsheets.countCsvRows(files.path), readAgain: fromFile };
  const spool = join(files.folder, "rows");
  const read = () => spoolRows(spool, fromFile());
  return { columns, headings, read, count: () => counted(read()), readAgain: () => spooledRows(spool) };
}

async function* counted(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowCount> {
  let count = 0;
  for await (const { rows, ...reading } of batches) {
    count += rows.length;
    yield { ...reading, rows: count };
  }
}

/** The API checked the header before it queued the import, but the organisation's custom fields may have changed since. */
function matchedColumns(names: readonly string[], { kind, source }: JudgedRequest, { customFieldKeys }: Catalogue): Columns {
  const match = matchImportHeader(names, { kind, source, customFieldKeys });
  if (!match.ok) throw new ImportFault(match.message);
  return { names: match.names, fields: match.fields };
}
