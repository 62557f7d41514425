// src/adapters/spreadsheets reads uploaded files (CSV, XLSX) as rows of text, and writes CSV and workbooks. Nothing in it knows what
// a column means; `spreadsheets.ts` implements the port. This file checks cells and rows, whichever format they come from.
import type { CellFault, FileRow } from "../../ports/spreadsheets.js";
import { MAX_CELL_CHARS, MAX_FAULTY_CELL_CHARS } from "./limits.js";

/** Thrown when the file as a whole cannot be used. The message says what to fix. */
export class FileFault extends Error {
  override readonly name = "FileFault";
}

export type Cell = string | CellFault;

export function cellFault(fault: string, text: string): CellFault {
  const excerpt = text.length > MAX_FAULTY_CELL_CHARS ? `${text.slice(0, MAX_FAULTY_CELL_CHARS)}...` : text;
  // The text is stored with the rejected row, and Postgres cannot store a NUL or half a character.
  return { fault, text: excerpt.replaceAll("\0", "\u{FFFD}").toWellFormed() };
}

/** Text that Postgres or a spreadsheet could not store becomes a fault, for which the row is rejected. */
export function checkText(text: string): Cell {
  if (text.length > MAX_CELL_CHARS) return cellFault(`is longer than ${MAX_CELL_CHARS.toLocaleString("en")} characters`, text);
  if (text.includes("\0")) return cellFault("holds a NUL character", text);
  return text;
}

export const isBlank = (cell: Cell | undefined): boolean => cell === undefined || (typeof cell === "string" && cell.trim() === "");

export const isBlankRow = (cells: readonly Cell[]): boolean => cells.every(isBlank);

/** The column names of the header, without the empty columns that a spreadsheet leaves at the right. */
export function headerNames(cells: readonly Cell[], row: number): string[] {
  const names = cells.map((cell) => {
    if (typeof cell !== "string") throw new FileFault(`A column name in row ${row} ${cell.fault}. Correct the header row.`);
    return cell.trim();
  });
  while (names.length > 0 && names[names.length - 1] === "") names.pop();
  return names;
}

/** Collects a file's rows. The first row that is not blank is the header. Blank rows are omitted. `check` throws to refuse the file. */
export function createRowReader(check: (row: FileRow) => void) {
  let shapeRow: ReturnType<typeof createRowShaper> | undefined;
  let columns: string[] | undefined;
  let rows: FileRow[] = [];
  return {
    columns: () => columns,
    add(row: number, cells: Cell[]): void {
      if (isBlankRow(cells)) return;
      if (shapeRow) {
        const shaped = shapeRow(row, cells);
        check(shaped);
        rows.push(shaped);
        return;
      }
      columns = headerNames(cells, row);
      shapeRow = createRowShaper(columns);
    },
    /** The rows since the last call. */
    take(): FileRow[] {
      const collected = rows;
      rows = [];
      return collected;
    },
  };
}

/** Brings rows to the header's width. A value outside the named columns is a fault of its row, so that it is never dropped in silence. */
function createRowShaper(columns: readonly string[]): (row: number, cells: Cell[]) => FileRow {
  const width = columns.length;
  const unnamed = columns.flatMap((name, index) => (name === "" ? [index] : []));
  return (row, cells) => {
    let fault: string | null = null;
    if (cells.length > width) {
      if (!isBlankRow(cells.slice(width))) fault = `Has a value to the right of the last column (the header has ${width} columns)`;
      cells.length = width;
    }
    while (cells.length < width) cells.push("");
    for (const index of unnamed)
      if (!isBlank(cells[index])) fault ??= `Has a value in column ${index + 1}, which has no name in the header`;
    return { row, cells, fault };
  };
}
