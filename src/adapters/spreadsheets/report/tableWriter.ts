import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TableWriter, WallTime } from "../../../ports/spreadsheets.js";
import { MAX_SHEET_ROWS } from "../limits.js";
import { cellText, looksLikeFormula } from "./cellText.js";
import { createWorkbookWriter, STYLES } from "./workbookWriter.js";

/** After this many rows the writer gives way, since the process serves requests meanwhile. */
const ROWS_AT_ONCE = 100;

/** Needs little memory: `add` waits until the output has taken the earlier rows. */
export async function createTableWriter(
  output: Writable,
  {
    sheet: name,
    columns,
    texts,
    subject = "",
  }: { sheet: string; columns: readonly string[]; texts?: ReadonlySet<number>; subject?: string },
): Promise<TableWriter> {
  const workbook = await createWorkbookWriter(output, { sheetName: name, subject });
  const { sheet } = workbook;
  sheet.columns = columns.map((_, index) => ({ width: 20, ...(texts?.has(index) ? { style: STYLES.text } : {}) }));
  let rows = 0;
  let leftOut = 0;

  function write(cells: readonly (string | number | WallTime)[], heading = false): void {
    rows += 1;
    const row = sheet.getRow(rows);
    for (const [index, value] of cells.entries()) {
      if (value === "") continue;
      const cell = row.getCell(index + 1);
      if (typeof value === "number") {
        cell.value = value;
      } else if (typeof value === "string") {
        cell.value = cellText(value);
        cell.style = heading ? STYLES.heading : looksLikeFormula(value) ? STYLES.formulaLike : STYLES.text;
      } else {
        const hasClock = value.wallTime.includes("T");
        cell.value = new Date(`${value.wallTime}${hasClock ? "Z" : "T00:00:00Z"}`); // exceljs writes a date's UTC clock
        cell.style = hasClock ? STYLES.dateAndTime : STYLES.date;
      }
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
