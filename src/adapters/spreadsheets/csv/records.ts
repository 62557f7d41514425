import { type Cell, isBlankRow } from "../cell.js";
import { createTokenizer } from "./tokenizer.js";

export type RecordReader = {
  /** Takes the next piece of text and emits every record that is complete. */
  push(text: string, final: boolean): void;
};

/** Emits the records of a CSV text with their row numbers. */
export function createRecordReader(delimiter: string, emit: (row: number, cells: Cell[]) => void): RecordReader {
  return createTokenizer(delimiter, { record: emit });
}

/** Counts the records that are not blank. */
export function createRecordCounter(delimiter: string, add: (records: number) => void): RecordReader {
  const record = (_: number, cells: readonly Cell[]) => {
    if (!isBlankRow(cells)) add(1);
  };
  return createTokenizer(delimiter, { record, text: () => add(1) });
}
