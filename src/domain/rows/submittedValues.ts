import { elementColumn } from "../imports/columns.js";
import { type Cell, type Columns, cellText, isStorable } from "./cells.js";

/** Together these keep an event far below what the event store takes, whatever the cells hold. */
const longestValue = 1_500;
const longestRow = 30_000;

/** What can be stored of a text: broken characters are shown as such, and the end of a giant is cut off. */
export function storableText(text: string, longest: number = longestValue): string {
  const whole = isStorable(text) ? text : text.replaceAll("\0", "\ufffd").toWellFormed();
  return whole.length <= longest ? whole : `${whole.slice(0, longest).toWellFormed()}…`;
}

/** The values sent for a row, by column name. In a JSON push a field that was not sent is not there; in a file a blank cell is. */
export function submittedValues(cells: readonly Cell[], columns: Columns, source: "data" | "file"): Record<string, string> {
  const values: Record<string, string> = {};
  let left = longestRow;
  columns.fields.forEach((field, index) => {
    if (field === undefined || field === elementColumn) return;
    const text = storableText(cellText(cells[index]), Math.min(longestValue, left));
    if (source === "data" && text === "") return;
    left = Math.max(0, left - text.length);
    values[columns.names[index] ?? field] = text;
  });
  return values;
}
