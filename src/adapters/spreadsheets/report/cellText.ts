import type { CellValue } from "exceljs";
import { MAX_CELL_CHARS } from "../limits.js";

const CUT = "... [cut short]";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry, or exceljs drops, are what this is about
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;

/** Text as a cell stores it: `_xHHHH_` for a character that XML cannot hold, and an escaped underscore before text that looks like that. */
export function cellText(text: string): CellValue {
  const fitting = text.length <= MAX_CELL_CHARS ? text : `${text.slice(0, MAX_CELL_CHARS - CUT.length)}${CUT}`;
  const escaped = fitting.toWellFormed().replace(SPECIAL, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
  // exceljs keeps blanks at the start and end only in rich text.
  return /^\s|\n|\s$/.test(escaped) ? { richText: [{ text: escaped }] } : escaped;
}
