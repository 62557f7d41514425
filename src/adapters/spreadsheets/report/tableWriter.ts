import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TableWriter } from "../../../ports/spreadsheets.js";
import { MAX_SHEET_ROWS } from "../limits.js";
import { cellText, looksLikeFormula } from "./cellText.js";
import { createWorkbookWriter, STYLES } from "./workbookWriter.js";

/** A process that serves requests meanwhile gets its turn after so many rows. */
const ROWS_AT_ONCE = 100;

/** In flat memory: what is added waits until the output has taken what came before. */
export async function createTableWriter(
  output: Writable,
  { sheet: name, columns }: { sheet: string; columns: readonly string[] },
): Promise<TableWriter> {
  const workbook = await createWorkbookWriter(output, { sheetName: name, subject: "" });
  const { sheet } = workbook;
  sheet.columns = columns.map(() => ({ width: 20 }));
  let rows = 0;
  let leftOut = 0;

  function write(cells: readonly (string | number)[], heading = false): void {
    rows += 1;
    const row = sheet.getRow(rows);
    for (const [index, value] of cells.entries()) {
      if (value === "") continue;
      const cell = row.getCell(index + 1);
      cell.value = typeof value === "number" ? value : cellText(value);
      if (typeof value === "string") cell.style = heading ? STYLES.heading : looksLikeFormula(value) ? STYLES.formulaLike : STYLES.text;
    }
    row.commit();
  }

  write(columns, true);
  return {
    async add(cells) {
      if (rows >= MAX_SHEET_ROWS) {
        leftOut += 1;
        return;
      }
      write(cells);
      if (rows % ROWS_AT_ONCE !== 0) return;
      await workbook.drained();
      await setImmediate();
    },
    async close() {
      if (leftOut > 0) write([`${leftOut} more rows do not fit into a sheet; the CSV file has them all`]);
      await workbook.finish();
    },
    abort: () => workbook.abort(),
  };
}
