import type { CellValue } from "exceljs";
import { MAX_CELL_CHARS } from "../limits.js";

const CUT = "... [cut short]";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry, or exceljs drops, are what this is about
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;

/** Text as a cell carries it: `_xHHHH_` for what XML cannot hold, an escaped underscore where the text itself reads like that. */
export function carriedText(text: string): string {
  const fitting = text.length <= MAX_CELL_CHARS ? text : `${text.slice(0, MAX_CELL_CHARS - CUT.length)}${CUT}`;
  return fitting.toWellFormed().replace(SPECIAL, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}

/** Blanks that a reader would drop unless they are marked as to be kept. */
export const hasBlanksToKeep = (carried: string): boolean => /^\s|\n|\s$/.test(carried);

export function cellText(text: string): CellValue {
  const carried = carriedText(text);
  return hasBlanksToKeep(carried) ? { richText: [{ text: carried }] } : carried; // exceljs marks them only in rich text
}

/** A spreadsheet would run such a text as a formula if it were typed in. */
export function looksLikeFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text);
}
