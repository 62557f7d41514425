import { type Cell, cellFault, checkText, FileFault } from "../cell.js";
import { MAX_CELL_CHARS, MAX_COLUMNS, MAX_ROW_CHARS } from "../limits.js";

const manyLineEnds = /[\r\n]{64,}/y;

/**
 * Takes text in pieces and emits each complete record, within limits for memory and time. Every kind of line ending ends a record, even if
 * a file mixes them. A quote has its meaning only at the start of a cell.
 */
export function createTokenizer(delimiter: string, emit: (row: number, cells: Cell[]) => void) {
  const lf = createFinder("\n");
  const cr = createFinder("\r");
  const quote = createFinder('"');
  const separator = createFinder(delimiter);
  const nul = createFinder("\0");
  const finders = [lf, cr, quote, separator, nul];
  let rest = "";
  let row = 0;
  let text = "";
  let hasOpenQuote = false;

  const lineEnd = (position: number) => Math.min(lf.from(text, position), cr.from(text, position));

  function addText(more: string, final: boolean): void {
    text = rest + more;
    for (const finder of finders) finder.restart();
    let position = 0;
    while (position < text.length) {
      position = skipEmptyLines(position);
      const next = readRecord(position, final);
      if (next === -1) break;
      position = next;
    }
    rest = text.slice(position);
    if (rest.length > MAX_ROW_CHARS) throw tooLong(row + 1);
    text = "";
  }

  /** Skips and counts a long run of empty lines. The last of them is left, since its line ending may continue in the next piece of text. */
  function skipEmptyLines(start: number): number {
    const first = text.charCodeAt(start);
    if (first !== 10 && first !== 13) return start;
    manyLineEnds.lastIndex = start;
    if (!manyLineEnds.test(text)) return start;
    const last = manyLineEnds.lastIndex - 1;
    let position = start;
    for (; position < last; row += 1) position += isCrLf(position) ? 2 : 1;
    return position;
  }

  const isCrLf = (position: number) => text.charCodeAt(position) === 13 && text.charCodeAt(position + 1) === 10;

  /** Emits the record that starts here and returns where the next one starts, or -1 when more text is needed. */
  function readRecord(start: number, final: boolean): number {
    hasOpenQuote = false;
    const plainEnd = lineEnd(start);
    const cells: Cell[] | null = quote.from(text, start) < plainEnd ? [] : null;
    const end = cells ? readQuotedRecord(start, cells, final) : plainEnd;
    if (end === -1) {
      if (final) throw unclosedQuote(row + 1);
      return -1;
    }
    // The last character may be half of a CRLF or of a doubled quote.
    if (end >= text.length - 1 && !final && text.charCodeAt(end) !== 10) return -1;
    row += 1;
    if (end - start > MAX_ROW_CHARS) throw tooLong(row);
    emit(row, checkCells(cells ?? splitPlainCells(start, end), start, end));
    return isCrLf(end) ? end + 2 : end + 1;
  }

  function splitPlainCells(start: number, end: number): string[] {
    const cells: string[] = [];
    let from = start;
    for (let at = separator.from(text, start); at < end; at = separator.from(text, from)) {
      if (cells.push(text.slice(from, at)) === MAX_COLUMNS) throw tooWide(row);
      from = at + 1;
    }
    cells.push(text.slice(from, end));
    return cells;
  }

  function checkCells(cells: Cell[], start: number, end: number): Cell[] {
    const needsCheck = end - start > MAX_CELL_CHARS || nul.from(text, start) < end;
    return needsCheck ? cells.map((cell) => (typeof cell === "string" ? checkText(cell) : cell)) : cells;
  }

  /** Returns where the record ends, or -1 when more text is needed. Its cells go into `cells`. */
  function readQuotedRecord(start: number, cells: Cell[], final: boolean): number {
    for (let position = start; ; ) {
      if (cells.length >= MAX_COLUMNS) throw tooWide(row + 1);
      const end = text.charCodeAt(position) === 34 ? readQuotedCell(position, cells, final) : readPlainCell(position, cells);
      if (end === -1 || end >= text.length || text[end] !== delimiter) return end;
      position = end + 1;
    }
  }

  /** People write `="0800"` to keep a spreadsheet from dropping the zero. The value is then 0800, unless the cell itself is quoted. */
  function readPlainCell(start: number, cells: Cell[]): number {
    const end = Math.min(separator.from(text, start), lineEnd(start));
    const cell = text.slice(start, end);
    cells.push(text.charCodeAt(start) === 61 && /^="[^"]*"$/.test(cell) ? cell.slice(2, -1) : cell);
    return end;
  }

  function readQuotedCell(start: number, cells: Cell[], final: boolean): number {
    let close = quote.from(text, start + 1);
    let doubled = false;
    while (close < text.length && text.charCodeAt(close + 1) === 34) {
      doubled = true;
      close = quote.from(text, close + 2);
    }
    if (close >= text.length || (close === text.length - 1 && !final)) {
      hasOpenQuote = true;
      return -1;
    }
    const end = Math.min(separator.from(text, close + 1), lineEnd(close + 1));
    const inner = text.slice(start + 1, close);
    if (end === close + 1 || text.slice(close + 1, end).trim() === "") cells.push(doubled ? inner.replaceAll('""', '"') : inner);
    else if (/[\r\n]/.test(inner))
      throw new FileFault(`Row ${row + 1} opens a quote that is not closed on the same row. Close it and upload the file again.`);
    else cells.push(cellFault("has text after its closing quote", text.slice(start, end)));
    return end;
  }

  const tooLong = (at: number) =>
    hasOpenQuote
      ? unclosedQuote(at)
      : new FileFault(`Row ${at} is longer than 1 MiB. Check that the file has line breaks and that its quotes are closed.`);

  return addText;
}

const unclosedQuote = (row: number) => new FileFault(`Row ${row} opens a quote that is never closed. Close it and upload the file again.`);

const tooWide = (row: number) => new FileFault(`Row ${row} has more than ${MAX_COLUMNS} columns. Remove the columns that are not needed.`);

/** Finds where a character comes next, and remembers it, so that no text is searched twice. Returns the text's length if there is none. */
function createFinder(char: string) {
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
