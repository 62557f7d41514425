// Turns the output of Postgres' COPY into CSV records, or into cells. A download may have a million rows. Rows that need nothing but quotes
// are copied byte by byte; all other rows are written cell by cell.
import type { CopyOutput, CsvCell } from "../../../ports/spreadsheets.js";
import { csvLine } from "./cellText.js";

const [tab, lineFeed, carriageReturn, comma, quote] = [0x09, 0x0a, 0x0d, 0x2c, 0x22];

/** The meanings of a byte in a text that must not begin a formula. They follow the rules of `inertText`. */
const ordinary = 0;
const endOfCell = 1;
/** May stand before the sign that begins a formula. */
const skippable = 2;
/** A program may split cells here, so a formula may begin after it. */
const separator = 3;
/** Begins a formula, or is the first byte of a character that may begin one or be skipped, such as a full-width sign or blank. */
const sign = 4;
/** A quote, which CSV doubles, or COPY's backslash. */
const escaped = 5;

const meanings = new Uint8Array(256);
meanings.fill(skippable, 0, 0x21);
for (const [meaning, bytes] of [
  [endOfCell, [tab, lineFeed]],
  [separator, Buffer.from(",;")],
  [sign, Buffer.from("=+-@")],
  [sign, [0xc2, 0xe1, 0xe2, 0xe3, 0xef]], // the first bytes of all blanks, signs and zero-width characters beyond ASCII
  [escaped, Buffer.from('"\\')],
] as const)
  for (const byte of bytes) meanings[byte] = meaning;

/** The output may be this many times as large. The worst row is one quote: two bytes with its line feed, six as `""""` with CR LF. */
const maxGrowth = 3;
/** Each call of `csvFromCopy` reuses it. */
let outputBuffer = Buffer.alloc(0);

/** Returns the same bytes as `csvLine` does for the cells of each row. */
export function csvFromCopy({ lines, isNumber }: CopyOutput): Buffer {
  if (lines.length > 0 && lines.at(-1) !== lineFeed) throw new Error("the last copied row is not whole");
  if (outputBuffer.length < lines.length * maxGrowth) outputBuffer = Buffer.allocUnsafe(lines.length * maxGrowth);
  let written = 0;
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(lineFeed, at);
    const copiedEnd = copyRow(lines, at, isNumber, written);
    written = copiedEnd ?? written + outputBuffer.write(csvLine(cellsOf(lines.toString("utf8", at, end), isNumber)), written);
    at = end + 1;
  }
  return Buffer.from(outputBuffer.subarray(0, written));
}

/** Copies the row at `at` to `to` in the output, and returns its end there; undefined if a cell needs more than quotes around it. */
function copyRow(lines: Buffer, at: number, isNumber: readonly boolean[], to: number): number | undefined {
  let [from, written] = [at, to];
  for (let column = 0; ; column += 1) {
    const isText = isNumber[column] !== true;
    const start = from;
    if (isText) outputBuffer[written++] = quote;
    let mayBeginFormula = isText; // whether a sign here would begin a formula
    let meaning = endOfCell;
    for (; ; from += 1) {
      const byte = lines[from] as number;
      meaning = meanings[byte] as number;
      if (meaning === ordinary) mayBeginFormula = false;
      else if (meaning === endOfCell) break;
      else if (meaning === separator) mayBeginFormula = isText;
      else if (meaning === escaped || (meaning === sign && mayBeginFormula)) return undefined;
      outputBuffer[written++] = byte;
    }
    if (isText && from === start)
      written -= 1; // an empty cell has no quotes
    else if (isText) outputBuffer[written++] = quote;
    if (lines[from++] === lineFeed) break;
    outputBuffer[written++] = comma;
  }
  outputBuffer[written++] = carriageReturn;
  outputBuffer[written++] = lineFeed;
  return written;
}

export const cellsFromCopy = ({ lines, isNumber }: CopyOutput): CsvCell[][] =>
  lines
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => cellsOf(line, isNumber));

function cellsOf(line: string, isNumber: readonly boolean[]): CsvCell[] {
  const texts = line.split("\t");
  const isEscaped = line.includes("\\");
  return texts.map((text, column) => {
    if (isNumber[column] && text !== "") return { decimal: text };
    return isEscaped ? text.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter) : text;
  });
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
