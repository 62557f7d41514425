import type { CsvCell } from "../../../ports/spreadsheets.js";
import { inertText } from "./formulas.js";

/** One record of a CSV file that people open. Every text is quoted and inert; numbers stay numbers. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: CsvCell): string {
  if (typeof value !== "string") return "decimal" in value ? value.decimal : value.wallTime;
  return value === "" ? "" : `"${inertText(value).replaceAll('"', '""')}"`;
}
