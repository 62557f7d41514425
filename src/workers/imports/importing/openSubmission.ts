import { join } from "node:path";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import { matchHeader, reportColumns } from "../../../domain/files/header.js";
import { allColumns, elementColumn, requiredColumns } from "../../../domain/imports/columns.js";
import type { Columns } from "../../../domain/rows/cells.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import type { FileRow, RowBatch, RowCount, Spreadsheets } from "../../../ports.js";
import { ImportFault } from "./interruptions.js";
import { spooledRows, spoolRows } from "./rowSpool.js";

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

const dateFields = new Set(["quoteDate", "activityTimestamp"]);

export async function openSubmission(
  spreadsheets: Spreadsheets,
  request: ImportRequested,
  catalogue: Catalogue,
  files: { path: string; folder: string },
): Promise<OpenSubmission> {
  const { format, name } = request.file;
  const header = await spreadsheets.readHeader(files.path, name);
  const columns = columnsOf(header.columns, request, catalogue);
  const headings = header.columns.map((name) => name.trim());
  const dateColumns = new Set(columns.fields.flatMap((field, index) => (field !== undefined && dateFields.has(field) ? [index] : [])));
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
function columnsOf(names: readonly string[], { kind, source }: ImportRequested, catalogue: Catalogue): Columns {
  const match = matchHeader(names, {
    required: requiredColumns[kind],
    optional: source === "data" ? [...allColumns[kind], elementColumn] : allColumns[kind],
    custom: kind === "shipments" ? [...catalogue.customFieldKeys] : [],
    ignored: Object.values(reportColumns),
  });
  if (!match.ok) throw new ImportFault(match.message);
  return { names: match.names, fields: match.fields };
}
