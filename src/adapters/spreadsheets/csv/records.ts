import Papa from "papaparse";
import { type Cell, cellFault, checkText, isBlankRow } from "../cell.js";
import { FileFault } from "../fileFault.js";
import type { Block } from "./block.js";
import { createRecordCutter } from "./recordCutter.js";

const MARK = "\ufeff";

export type RecordReader = {
  /** Takes the next piece of text and emits every record that is complete. */
  push(text: string, final: boolean): void;
};

/** The records of a CSV text with their row numbers, cells read by papaparse. */
export function createRecordReader(delimiter: string, emit: (row: number, cells: Cell[]) => void): RecordReader {
  return createRecordCutter(delimiter, (block) => readBlock(block, delimiter, emit));
}

/** A blank record would begin like this, or hold quotes. */
const unlikeText = /^[^0-9A-Za-z]/m;

/** How many records are not blank. Without quotes papaparse would find as many as the cutter, and nothing to refuse. */
export function createRecordCounter(delimiter: string, add: (records: number) => void): RecordReader {
  return createRecordCutter(delimiter, (block) => {
    if (!block.quoted && !unlikeText.test(block.text)) return add(block.rows);
    let records = 0;
    readBlock(block, delimiter, (_, cells) => {
      if (!isBlankRow(cells)) records += 1;
    });
    add(records);
  });
}

function readBlock(block: Block, delimiter: string, emit: (row: number, cells: Cell[]) => void): void {
  const records: Cell[][] = parse(block, delimiter);
  for (const { row, column } of block.malformed) markMalformed(records[row - block.firstRow], column);
  const suspicious = block.longRows || block.text.includes("\0");
  for (let index = 0; index < block.rows; index++) {
    const cells = records[index] ?? [];
    emit(block.firstRow + index, suspicious ? cells.map((cell) => (typeof cell === "string" ? checkText(cell) : cell)) : cells);
  }
}

function parse(block: Block, delimiter: string): string[][] {
  // papaparse takes a byte order mark off whatever text it is given
  const text = block.text.startsWith(MARK) ? MARK + block.text : block.text;
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: "\n" });
  const [error] = errors;
  if (error) throw unreadable(block.firstRow + (error.row ?? 0));
  if (data.length !== block.rows + 1) throw unreadable(block.firstRow); // after the last line ending comes one more, empty
  return data;
}

/** Never seen: the cutter hands out what papaparse reads without complaint. Refusing is better than a row too few. */
function unreadable(row: number): FileFault {
  return new FileFault(`Row ${row} has quotes out of place. Correct them and upload the file again.`);
}

function markMalformed(cells: Cell[] | undefined, column: number): void {
  const raw = cells?.[column];
  if (cells && typeof raw === "string") cells[column] = cellFault("has text after its closing quote", raw);
}
