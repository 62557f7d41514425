import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { ReportWriter } from "../../../ports/spreadsheets.js";
import { createTableWriter } from "./tableWriter.js";

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
