import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TableWriter } from "../../../ports/spreadsheets.js";
import { createWorkbookWriter } from "./workbookWriter.js";

/** After this many rows the writer gives way, since the process serves requests meanwhile. */
const ROWS_AT_ONCE = 100;

/** Needs little memory: `add` waits until the output has taken the earlier rows. */
export async function createTableWriter(
  output: Writable,
  {
    sheet: sheetName,
    columns: headings,
    texts,
    subject = "",
  }: { sheet: string; columns: readonly string[]; texts?: ReadonlySet<number>; subject?: string },
): Promise<TableWriter> {
  const columns = headings.map((_, index) => ({ width: 20, isText: texts?.has(index) === true }));
  const workbook = createWorkbookWriter(output, { sheetName, subject, headings, columns });
  let added = 0;
  let leftOut = 0;
  return {
    async add(cells) {
      if (!workbook.add(cells)) leftOut += 1;
      added += 1;
      if (added % ROWS_AT_ONCE !== 0) return;
      await workbook.drained();
      await setImmediate();
    },
    async close() {
      if (leftOut > 0) workbook.addLast([`${leftOut} more rows do not fit into a sheet; the CSV file has them all`]);
      await workbook.finish();
    },
    abort: workbook.abort,
  };
}
