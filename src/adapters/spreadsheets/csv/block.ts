import { MAX_CELL_CHARS } from "../limits.js";

/** Complete records as papaparse takes them: each ended by one \n, every quoted cell well-formed. */
export type Block = {
  readonly text: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly quoted: boolean;
  /** Cells with text after their closing quote; papaparse gives their raw text. */
  readonly malformed: readonly { readonly row: number; readonly column: number }[];
  /** A cell may be longer than a cell can be. */
  readonly longRows: boolean;
};

/** A cell that papaparse is to see otherwise than it stands in the file. */
export type Repair = { readonly start: number; readonly end: number; readonly text: string; readonly malformedColumn: number | null };

/** papaparse looks for the next delimiter to the end of its text after every quoted cell: short texts keep that cheap. */
const QUOTED_BLOCK_CHARS = 4 * 1024;

export function createBlockBuilder(emit: (block: Block) => void) {
  let text = "";
  let built = "";
  let copied = 0;
  let end = 0;
  let firstRow = 0;
  let rows = 0;
  let quoted = false;
  let longRows = false;
  let malformed: { row: number; column: number }[] = [];

  function begin(source: string): void {
    text = source;
    copied = 0;
    end = 0;
  }

  /** Takes the record from `start` to `stop`, whose line ending goes on to `next`. */
  function add(row: number, start: number, stop: number, next: number, hasQuote: boolean, repairs: readonly Repair[]): void {
    if (hasQuote && end - copied + built.length > QUOTED_BLOCK_CHARS) flush();
    if (rows === 0) {
      firstRow = row;
      copied = start; // empty lines may have been passed over
    }
    for (const repair of repairs) {
      built += text.slice(copied, repair.start) + repair.text;
      copied = repair.end;
      if (repair.malformedColumn !== null) malformed.push({ row, column: repair.malformedColumn });
    }
    if (next - stop !== 1 || text.charCodeAt(stop) !== 10) {
      built += `${text.slice(copied, stop)}\n`;
      copied = next;
    }
    end = next;
    rows += 1;
    quoted ||= hasQuote;
    longRows ||= stop - start > MAX_CELL_CHARS;
    if (quoted && end - copied + built.length > QUOTED_BLOCK_CHARS) flush();
  }

  function flush(): void {
    if (rows === 0) return;
    const block: Block = { text: built + text.slice(copied, end), firstRow, rows, quoted, malformed, longRows };
    built = "";
    copied = end;
    rows = 0;
    quoted = false;
    longRows = false;
    malformed = [];
    emit(block);
  }

  return { begin, add, flush };
}
