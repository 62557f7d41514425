import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { ReportWriter } from "../../../ports/spreadsheets.js";
import { MAX_SHEET_ROWS } from "../limits.js";
import { looksLikeFormula } from "./cellText.js";
import { cellValue, createExceljsWriter, STYLES } from "./exceljsWriter.js";

/** After this much text the writer waits for the disk. */
const DRAIN_CHARS = 64 * 1024;
/** Beyond 4 GiB, in UTF-8, not every program opens a sheet. */
const MAX_SHEET_CHARS = 1.2 * 1024 ** 3;
/** About the size of the markup around one cell's text. */
const CELL_MARKUP_CHARS = 50;

/** Writes the rejected rows as a workbook, in flat memory. Either `close` or `discard` must follow. */
export async function createReportWriter(
  path: string,
  options: { columns: readonly string[]; subject: string; notHere?: string },
): Promise<ReportWriter> {
  const file = createWriteStream(path);
  await once(file, "open");
  const workbook = await createExceljsWriter(file, { sheetName: "Rejected rows", subject: options.subject });
  const { sheet } = workbook;
  const width = options.columns.length;
  // So that empty cells have the text format too.
  sheet.columns = Array.from({ length: width }, (_, index) => ({ width: index === 0 ? 12 : index === 1 ? 48 : 18, style: STYLES.text }));
  let rows = 0;
  let chars = 0;
  let undrained = 0;
  let leftOut = 0;

  function write(values: readonly string[], heading = false): void {
    rows += 1;
    const row = sheet.getRow(rows);
    for (let index = 0; index < width; index++) {
      const value = values[index] ?? "";
      if (value === "") continue;
      const cell = row.getCell(index + 1);
      cell.value = cellValue(value);
      cell.style = heading ? STYLES.heading : looksLikeFormula(value) ? STYLES.formulaLike : STYLES.text;
      undrained += value.length + CELL_MARKUP_CHARS;
    }
    row.commit();
  }

  write(options.columns, true);
  return {
    async add(row, reason, values) {
      if (rows >= MAX_SHEET_ROWS || chars > MAX_SHEET_CHARS) {
        leftOut += 1;
        return;
      }
      write([String(row), reason, ...values]);
      if (undrained < DRAIN_CHARS) return;
      chars += undrained;
      undrained = 0;
      await workbook.drained();
    },
    async close() {
      if (leftOut > 0) write(["", `${leftOut} more rejected rows do not fit here; ${options.notHere ?? "the API lists them all"}`]);
      await workbook.finish();
    },
    async discard() {
      await workbook.abort();
      await rm(path, { force: true });
    },
  };
}
