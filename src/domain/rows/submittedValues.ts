import { elementColumn } from "../imports/fields.js";
import { limits, shortened } from "../imports/limits.js";
import { type Cell, type Columns, cellText, isStorable } from "./cells.js";

/** A text as it can be stored: broken characters become U+FFFD, and a text that is too long is cut short. */
export function storableText(text: string, bytes: number = limits.rejectedValueBytes): string {
  return shortened(isStorable(text) ? text : text.replaceAll("\0", "\ufffd").toWellFormed(), bytes);
}

/** The values sent for a row, by the contract's column names. In a JSON push a field that was not sent is not there; in a file a blank cell is. */
export function submittedValues(cells: readonly Cell[], columns: Columns, source: "data" | "file"): Record<string, string> {
  const values: Record<string, string> = {};
  let left: number = limits.rejectedRowBytes;
  columns.fields.forEach((field, index) => {
    if (field === undefined || field === elementColumn) return;
    const text = storableText(cellText(cells[index]), Math.min(limits.rejectedValueBytes, left));
    if (source === "data" && text === "") return;
    left = Math.max(0, left - Buffer.byteLength(text));
    values[columns.names[index] ?? field] = text;
  });
  return values;
}
