// src/adapters/spreadsheets reads uploaded files (CSV, XLSX) as rows of text, and writes rejected rows and tables as workbooks. Nothing in this
// folder knows what a column means; `spreadsheets.ts` fulfils the port.
import type { CellFault } from "../../ports/spreadsheets.js";
import { MAX_CELL_CHARS, MAX_FAULTY_CELL_CHARS } from "./limits.js";

export type Cell = string | CellFault;

export function cellFault(fault: string, text: string): CellFault {
  const shown = text.length > MAX_FAULTY_CELL_CHARS ? `${text.slice(0, MAX_FAULTY_CELL_CHARS)}...` : text;
  // The text is stored with the rejected row, and Postgres cannot store a NUL or half a character.
  return { fault, text: shown.replaceAll("\0", "\u{FFFD}").toWellFormed() };
}

/** Text that Postgres or a spreadsheet could not hold becomes a fault, and its row is rejected. */
export function checkText(text: string): Cell {
  if (text.length > MAX_CELL_CHARS) return cellFault(`is longer than ${MAX_CELL_CHARS.toLocaleString("en")} characters`, text);
  if (text.includes("\0")) return cellFault("holds a NUL character", text);
  return text;
}

export function isBlank(cell: Cell | undefined): boolean {
  return cell === undefined || (typeof cell === "string" && (cell === "" || cell.trim() === ""));
}

export function isBlankRow(cells: readonly Cell[]): boolean {
  for (const cell of cells) if (!isBlank(cell)) return false;
  return true;
}
