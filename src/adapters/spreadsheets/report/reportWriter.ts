import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { ReportWriter } from "../../../ports/spreadsheets.js";
import { createWorkbookWriter } from "./workbookWriter.js";

/** After this much text the writer waits for the disk. */
const DRAIN_CHARS = 64 * 1024;
/** About the size of the markup around one cell's text. */
const CELL_MARKUP_CHARS = 50;

/** Writes the rejected rows as a workbook, in flat memory. Either `close` or `discard` must follow. */
export async function createReportWriter(path: string, options: { columns: readonly string[]; subject: string }): Promise<ReportWriter> {
  const file = createWriteStream(path);
  await once(file, "open");
  const { columns: headings, subject } = options;
  const columns = headings.map((_, index) => ({ width: index === 0 ? 12 : index === 1 ? 48 : 18, isText: true }));
  const workbook = createWorkbookWriter(file, { sheetName: "Rejected rows", subject, headings, columns });
  let undrained = 0;
  let leftOut = 0;
  return {
    async add(row, reason, values) {
      const cells = [String(row), reason, ...values];
      if (!workbook.add(cells)) leftOut += 1;
      for (const cell of cells) undrained += cell.length + CELL_MARKUP_CHARS;
      if (undrained < DRAIN_CHARS) return;
      undrained = 0;
      await workbook.drained();
    },
    async close() {
      if (leftOut > 0) workbook.addLast(["", `${leftOut} more rejected rows do not fit here; the API lists them all`]);
      await workbook.finish();
    },
    async discard() {
      await workbook.abort();
      await rm(path, { force: true });
    },
  };
}
