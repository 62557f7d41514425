import type { FileRow } from "../../ports/spreadsheets.js";
import { type Cell, isBlank, isBlankRow } from "./cell.js";
import { FileFault } from "./fileFault.js";

/** The header's names, without the empty columns a spreadsheet leaves at the right. */
export function headerNames(cells: readonly Cell[], row: number): string[] {
  const names = cells.map((cell) => {
    if (typeof cell !== "string") throw new FileFault(`A column name in row ${row} ${cell.fault}. Correct the header row.`);
    return cell.trim();
  });
  while (names.length > 0 && names[names.length - 1] === "") names.pop();
  return names;
}

/** Brings rows to the header's width; a value outside the named columns is a fault of its row, never dropped in silence. */
export function createRowShaper(columns: readonly string[]): (row: number, cells: Cell[]) => FileRow {
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
