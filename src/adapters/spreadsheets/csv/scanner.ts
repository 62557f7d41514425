import { type Cell, cellFault, checkText } from "../cell.js";
import { FileFault } from "../fileFault.js";
import { MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_CHARS } from "../limits.js";

export type RecordScanner = {
  /** Takes the next piece of text and emits every record that is complete. */
  push(text: string, final: boolean): void;
};

type Emit = (row: number, cells: Cell[]) => void;

/** Remembers where a character comes next, so that no stretch of text is searched twice for it. */
function nextOf(char: string) {
  let at = -1;
  return {
    restart: () => {
      at = -1;
    },
    from: (text: string, position: number): number => {
      if (at < position) {
        at = text.indexOf(char, position);
        if (at === -1) at = text.length;
      }
      return at;
    },
  };
}

/**
 * CSV as RFC 4180 has it, with the liberties spreadsheet programs take: any line ending, quotes inside unquoted cells.
 * Lines without a quote, nearly all of them, are simply split.
 */
export function createRecordScanner(delimiter: string, emit: Emit): RecordScanner {
  const lf = nextOf("\n");
  const cr = nextOf("\r");
  const quote = nextOf('"');
  const separator = nextOf(delimiter);
  const nul = nextOf("\0");
  const finders = [lf, cr, quote, separator, nul];
  let rest = "";
  let row = 0;
  let text = "";
  let openQuote = false;

  const lineEnd = (position: number) => Math.min(lf.from(text, position), cr.from(text, position));

  function push(more: string, final: boolean): void {
    text = rest + more;
    for (const finder of finders) finder.restart();
    let position = 0;
    while (position < text.length) {
      const end = record(position, final);
      if (end === -1) break;
      position = text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? end + 2 : end + 1;
    }
    rest = text.slice(position);
    if (rest.length > MAX_ROW_CHARS) throw tooLong(row + 1);
    text = "";
  }

  /** Emits the record that starts here and returns where its line ends, or -1 when more text is needed. */
  function record(start: number, final: boolean): number {
    const cells: Cell[] = [];
    openQuote = false;
    const plainEnd = lineEnd(start);
    const end = quote.from(text, start) < plainEnd ? quotedRecord(start, cells, final) : plainEnd;
    if (end === -1) {
      if (final) throw new FileFault(`Row ${row + 1} opens a quote that is never closed. Close it and upload the file again.`);
      return -1;
    }
    // the last character may be half of a CRLF, or of a doubled quote
    if (end >= text.length - 1 && !final && text.charCodeAt(end) !== 10) return -1;
    row += 1;
    if (end - start > MAX_ROW_CHARS) throw tooLong(row);
    if (cells.length > 0) finish(start, end, cells);
    else if (end > start) finish(start, end, splitLine(start, end));
    return end;
  }

  function splitLine(start: number, end: number): Cell[] {
    const cells: Cell[] = [];
    let position = start;
    let at = separator.from(text, position);
    while (at < end && cells.length < MAX_COLUMNS) {
      cells.push(text.slice(position, at));
      position = at + 1;
      at = separator.from(text, position);
    }
    cells.push(text.slice(position, end));
    return cells;
  }

  function finish(start: number, end: number, cells: Cell[]): void {
    if (cells.length > MAX_COLUMNS)
      throw new FileFault(`Row ${row} has more than ${MAX_COLUMNS} columns. Remove the columns that are not needed.`);
    const suspicious = end - start > MAX_CELL_CHARS || nul.from(text, start) < end;
    emit(row, suspicious ? cells.map((cell) => (typeof cell === "string" ? checkText(cell) : cell)) : cells);
  }

  function quotedRecord(start: number, cells: Cell[], final: boolean): number {
    let position = start;
    for (;;) {
      if (cells.length > MAX_COLUMNS) return lineEnd(position);
      const cellEnd = text.charCodeAt(position) === 34 ? quotedCell(position, cells, final) : plainCell(position, cells);
      if (cellEnd === -1) return -1;
      if (cellEnd >= text.length || text[cellEnd] !== delimiter) return cellEnd;
      position = cellEnd + 1;
    }
  }

  function plainCell(start: number, cells: Cell[]): number {
    const end = Math.min(separator.from(text, start), lineEnd(start));
    cells.push(unwrapped(text.slice(start, end)));
    return end;
  }

  function quotedCell(start: number, cells: Cell[], final: boolean): number {
    let close = quote.from(text, start + 1);
    let doubled = false;
    while (close < text.length && text.charCodeAt(close + 1) === 34) {
      doubled = true;
      close = quote.from(text, close + 2);
    }
    if (close >= text.length || (close === text.length - 1 && !final)) {
      openQuote = true;
      return -1;
    }
    const inner = text.slice(start + 1, close);
    const value = doubled ? inner.replaceAll('""', '"') : inner;
    const end = Math.min(separator.from(text, close + 1), lineEnd(close + 1));
    const trailing = end === close + 1 ? "" : text.slice(close + 1, end);
    if (trailing.trim() === "") cells.push(value);
    else if (/[\r\n]/.test(inner))
      throw new FileFault(`Row ${row + 1} opens a quote that is not closed on the same row. Close it and upload the file again.`);
    else cells.push(cellFault("has text after its closing quote", text.slice(start, end)));
    return end;
  }

  function tooLong(at: number): FileFault {
    if (openQuote) return new FileFault(`Row ${at} opens a quote that is never closed. Close it and upload the file again.`);
    return new FileFault(`Row ${at} is longer than 1 MiB. Check that the file has line breaks and that its quotes are closed.`);
  }

  return { push };
}

/** `="0800"`, bare, is how people keep a spreadsheet from eating the zero; the cell it stands for reads 0800. In quotes it is what it says. */
function unwrapped(cell: string): string {
  return /^="[^"]*"$/.test(cell) ? cell.slice(2, -1) : cell;
}
