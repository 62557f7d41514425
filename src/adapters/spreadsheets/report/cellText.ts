import type { CsvCell } from "../../../ports/spreadsheets.js";
import { MAX_CELL_CHARS } from "../limits.js";

// What a spreadsheet would run as a formula, and how a text file keeps it from doing so. Every file that people open is written by these rules.

/** Signs that begin a formula; the wide ones are taken for them in some languages. */
const SIGN = "[=+\\-@＝＋－＠]";
/** Characters that a program may leave out before it looks for such a sign. */
const SKIPPED = '[\\s"\\x00-\\x1f\\u200b-\\u200d\\u2060]*';

const LIKE_FORMULA = new RegExp(`^(?:${SKIPPED}${SIGN}|[\\t\\r])`);
/** Looks for the sign first and back from there, so that long runs of blanks are read once. */
const SIGN_AT_START = new RegExp(`(?=${SIGN})(?<=(?:^|[,;\\t\\r\\n])${SKIPPED})${SIGN}`, "g");

/** Most texts: codes, references and times, which no file has to escape, and no program takes for anything but a text in its cell. */
const PLAIN = /^[0-9A-Za-z][0-9A-Za-z.:/-]*$/;
export const isPlain = (text: string): boolean => text.length <= 200 && PLAIN.test(text);

/** A spreadsheet would run such a text as a formula if it were typed in. */
export const looksLikeFormula = (text: string): boolean => LIKE_FORMULA.test(text);

/**
 * The text with an apostrophe before each sign that begins a formula: at the start, and after everything that may separate cells. Which
 * character does so depends on the reader's country, and a reader that splits elsewhere does not see our quotes.
 */
export function inertText(text: string): string {
  const inert = text.replaceAll(SIGN_AT_START, "'$&");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}

const CUT = "... [cut short]";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry are what this is about
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;

/** Text as a cell stores it: `_xHHHH_` for a character that XML cannot hold, and an escaped underscore before text that looks like that. */
export function storedCellText(text: string): string {
  const fitting = text.length <= MAX_CELL_CHARS ? text : `${text.slice(0, MAX_CELL_CHARS - CUT.length)}${CUT}`;
  return fitting.toWellFormed().replace(SPECIAL, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}

/** One record of a CSV file that people open. Every text is quoted and inert; numbers stay numbers. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: CsvCell): string {
  if (typeof value !== "string") return "decimal" in value ? value.decimal : value.wallTime;
  if (value === "") return "";
  return isPlain(value) ? `"${value}"` : `"${inertText(value).replaceAll('"', '""')}"`;
}
