import type { CsvCell } from "../../../ports/spreadsheets.js";
import { MAX_CELL_CHARS } from "../limits.js";

// Which texts a spreadsheet program would run as formulas, and how they are written so that no program does. For all files that people open.

/** Signs that begin a formula. In some languages programs accept the full-width forms too. */
const SIGN = "[=+\\-@＝＋－＠]";
/** Characters that a program may skip before it looks for such a sign. */
const SKIPPED = '[\\s"\\x00-\\x1f\\u200b-\\u200d\\u2060]*';

const FORMULA_LIKE = new RegExp(`^(?:${SKIPPED}${SIGN}|[\\t\\r])`);
/** Finds each sign and then looks back from it, so that a long run of blanks is read only once. */
const SIGN_AT_START = new RegExp(`(?=${SIGN})(?<=(?:^|[,;\\t\\r\\n])${SKIPPED})${SIGN}`, "g");

/** Matches most texts, such as codes, references and times. No file has to escape them, and programs show them unchanged in a text cell. */
const PLAIN = /^[0-9A-Za-z][0-9A-Za-z.:/-]*$/;
export const isPlain = (text: string): boolean => text.length <= 200 && PLAIN.test(text);

/** Whether a spreadsheet program would run the text as a formula if it were typed in. */
export const looksLikeFormula = (text: string): boolean => FORMULA_LIKE.test(text);

/**
 * Puts an apostrophe before each sign that begins a formula: at the start, and after each character that may separate cells. Which
 * character separates cells depends on the reader's country, and a program that splits at another character ignores our quotes.
 */
export function inertText(text: string): string {
  const inert = text.replaceAll(SIGN_AT_START, "'$&");
  return /^[\t\r]/.test(inert) ? `'${inert}` : inert;
}

const CUT_MARK = "... [cut short]";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry are what this is about
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;

/** Text as a cell stores it: `_xHHHH_` for a character that XML cannot hold, and an escaped underscore before text that looks like that. */
export function storedCellText(text: string): string {
  const fitting = text.length <= MAX_CELL_CHARS ? text : `${text.slice(0, MAX_CELL_CHARS - CUT_MARK.length)}${CUT_MARK}`;
  return fitting.toWellFormed().replace(SPECIAL, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}

/** One record of a CSV file that people open. Texts are quoted and made inert; numbers and times are written as they are. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(",")}\r\n`;

function csvCell(value: CsvCell): string {
  if (typeof value !== "string") return "decimal" in value ? value.decimal : value.wallTime;
  if (value === "") return "";
  return isPlain(value) ? `"${value}"` : `"${inertText(value).replaceAll('"', '""')}"`;
}
