import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ReportWriter, TableWriter } from "../../../ports/spreadsheets.js";
import { createWorkbookWriter } from "./workbookWriter.js";

/** After this many rows the writer gives way, since the process serves requests meanwhile. */
const ROWS_AT_ONCE = 100;

interface TableOptions {
  readonly sheet: string;
  readonly columns: readonly string[];
  /** Of the first columns. */
  readonly widths?: readonly number[];
  readonly texts?: ReadonlySet<number>;
  readonly subject?: string;
  /** What the sheet's last row says if rows did not fit. */
  readonly lastRow?: (leftOut: number) => readonly string[];
}

/** Needs little memory: `add` waits until the output has taken the earlier rows. */
export function createTableWriter(
  output: Writable,
  { sheet: sheetName, columns: headings, widths = [], texts, subject = "", lastRow = csvHasAll }: TableOptions,
): TableWriter {
  const columns = headings.map((_, index) => ({ width: widths[index] ?? 20, isText: texts?.has(index) === true }));
  const workbook = createWorkbookWriter(output, { sheetName, subject, headings, columns });
  let added = 0;
  let leftOut = 0;
  return {
    async add(cells) {
      if (!workbook.add(cells)) leftOut += 1;
      added += 1;
      await workbook.drained();
      if (added % ROWS_AT_ONCE === 0) await setImmediate();
    },
    async close() {
      if (leftOut > 0) workbook.addLast(lastRow(leftOut));
      await workbook.finish();
    },
    abort: workbook.abort,
  };
}

const csvHasAll = (leftOut: number) => [`${leftOut} more rows do not fit into a sheet; the CSV file has them all`];

/** Of the row number and the reason. */
const widths = [12, 48];

/** Writes the rejected rows as a workbook, in flat memory. Either `close` or `discard` must follow. */
export async function createReportWriter(
  path: string,
  { columns, subject, notHere = "the API lists them all" }: { columns: readonly string[]; subject: string; notHere?: string },
): Promise<ReportWriter> {
  const file = createWriteStream(path);
  await once(file, "open");
  const table = createTableWriter(file, {
    sheet: "Rejected rows",
    columns,
    widths,
    texts: new Set(columns.keys()),
    subject,
    lastRow: (leftOut) => ["", `${leftOut} more rejected rows do not fit here; ${notHere}`],
  });
  return {
    add: (row, reason, values) => table.add([String(row), reason, ...values]),
    close: table.close,
    async discard() {
      await table.abort();
      await rm(path, { force: true });
    },
  };
}
