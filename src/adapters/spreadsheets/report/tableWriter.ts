import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TableWriter } from "../../../ports/spreadsheets.js";
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
