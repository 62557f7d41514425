import { MAX_CELL_CHARS } from "../limits.js";

const CUT = "... [cut short]";
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters XML cannot carry are what this is about
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9a-f]{4}_)/gi;

/** Text as a cell carries it: `_xHHHH_` for what XML cannot hold, an escaped underscore where the text itself reads like that. */
export function cellMarkup(text: string): string {
  const fitting = text.length <= MAX_CELL_CHARS ? text : `${text.slice(0, MAX_CELL_CHARS - CUT.length)}${CUT}`;
  return fitting
    .toWellFormed()
    .replace(SPECIAL, (char) => ENTITIES[char] ?? `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}

/** 0 is A, 26 is AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

/** A spreadsheet would run such a text as a formula if it were typed in. */
export function looksLikeFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text);
}
