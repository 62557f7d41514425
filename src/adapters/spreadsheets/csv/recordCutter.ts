import { FileFault } from "../fileFault.js";
import { MAX_COLUMNS, MAX_ROW_CHARS } from "../limits.js";
import { type Block, createBlockBuilder, type Repair } from "./block.js";
import { nextOf } from "./nextOf.js";

const manyLineEnds = /[\r\n]{64,}/y;

/**
 * Cuts text into blocks of complete records, counts them and keeps the bounds, before papaparse reads the cells.
 * Any line ending ends a record, also several kinds in one file; a quote opens a cell only at its start.
 */
export function createRecordCutter(delimiter: string, emit: (block: Block) => void) {
  const lf = nextOf("\n");
  const cr = nextOf("\r");
  const quote = nextOf('"');
  const separator = nextOf(delimiter);
  const finders = [lf, cr, quote, separator];
  const block = createBlockBuilder(emit);
  let rest = "";
  let row = 0;
  let text = "";
  let openQuote = false;
  let repairs: Repair[] = [];

  const lineEnd = (position: number) => Math.min(lf.from(text, position), cr.from(text, position));

  /** Takes the next piece of text and emits every record that is complete. */
  function push(more: string, final: boolean): void {
    text = rest + more;
    for (const finder of finders) finder.restart();
    block.begin(text);
    let position = 0;
    while (position < text.length) {
      position = passEmptyLines(position);
      const next = record(position, final);
      if (next === -1) break;
      position = next;
    }
    rest = text.slice(position);
    if (rest.length > MAX_ROW_CHARS) throw tooLong(row + 1);
    block.flush();
    text = "";
  }

  /** Counts empty lines that come in great numbers; the last one is left, since its line ending may go on in the next text. */
  function passEmptyLines(start: number): number {
    const first = text.charCodeAt(start);
    if (first !== 10 && first !== 13) return start;
    manyLineEnds.lastIndex = start;
    if (!manyLineEnds.test(text)) return start;
    block.flush();
    const last = manyLineEnds.lastIndex - 1;
    let position = start;
    for (; position < last; row += 1) position += isCrLf(position) ? 2 : 1;
    return position;
  }

  const isCrLf = (position: number) => text.charCodeAt(position) === 13 && text.charCodeAt(position + 1) === 10;

  /** Takes the record that starts here and returns where the next one does, or -1 when more text is needed. */
  function record(start: number, final: boolean): number {
    openQuote = false;
    if (repairs.length > 0) repairs = [];
    const plainEnd = lineEnd(start);
    const quoted = quote.from(text, start) < plainEnd;
    const end = quoted ? quotedRecord(start, final) : plainEnd;
    if (end === -1) {
      if (final) throw fault(`Row ${row + 1} opens a quote that is never closed. Close it and upload the file again.`);
      return -1;
    }
    // the last character may be half of a CRLF, or of a doubled quote
    if (end >= text.length - 1 && !final && text.charCodeAt(end) !== 10) return -1;
    row += 1;
    if (end - start > MAX_ROW_CHARS) throw tooLong(row);
    if (!quoted && end - start >= MAX_COLUMNS) countColumns(start, end);
    const next = isCrLf(end) ? end + 2 : end + 1;
    block.add(row, start, end, next, quoted, repairs);
    return next;
  }

  function countColumns(start: number, end: number): void {
    let columns = 1;
    for (let at = separator.from(text, start); at < end; at = separator.from(text, at + 1)) if (++columns > MAX_COLUMNS) throw tooWide(row);
  }

  function quotedRecord(start: number, final: boolean): number {
    let position = start;
    for (let column = 0; ; column++) {
      if (column >= MAX_COLUMNS) throw tooWide(row + 1);
      const end = text.charCodeAt(position) === 34 ? quotedCell(position, column, final) : plainCell(position);
      if (end === -1 || end >= text.length || text[end] !== delimiter) return end;
      position = end + 1;
    }
  }

  /** `="0800"`, bare, is how people keep a spreadsheet from eating the zero; the cell it stands for reads 0800. In quotes it is what it says. */
  function plainCell(start: number): number {
    const end = Math.min(separator.from(text, start), lineEnd(start));
    if (text.charCodeAt(start) === 61 && /^="[^"]*"$/.test(text.slice(start, end)))
      repairs.push({ start, end, text: text.slice(start + 2, end - 1), malformedColumn: null });
    return end;
  }

  /** papaparse would read on past text after a closing quote and swallow what follows: it gets such a cell quoted once more. */
  function quotedCell(start: number, column: number, final: boolean): number {
    let close = quote.from(text, start + 1);
    while (close < text.length && text.charCodeAt(close + 1) === 34) close = quote.from(text, close + 2);
    if (close >= text.length || (close === text.length - 1 && !final)) {
      openQuote = true;
      return -1;
    }
    const end = Math.min(separator.from(text, close + 1), lineEnd(close + 1));
    if (end === close + 1 || text.slice(close + 1, end).trim() === "") return end;
    if (/[\r\n]/.test(text.slice(start, close)))
      throw fault(`Row ${row + 1} opens a quote that is not closed on the same row. Close it and upload the file again.`);
    repairs.push({ start, end, text: `"${text.slice(start, end).replaceAll('"', '""')}"`, malformedColumn: column });
    return end;
  }

  /** The rows above the fault are handed out first, however the text was cut. */
  function fault(message: string): FileFault {
    block.flush();
    return new FileFault(message);
  }

  function tooLong(at: number): FileFault {
    if (openQuote) return fault(`Row ${at} opens a quote that is never closed. Close it and upload the file again.`);
    return fault(`Row ${at} is longer than 1 MiB. Check that the file has line breaks and that its quotes are closed.`);
  }

  function tooWide(at: number): FileFault {
    return fault(`Row ${at} has more than ${MAX_COLUMNS} columns. Remove the columns that are not needed.`);
  }

  return { push };
}
