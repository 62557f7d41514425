// src/domain/rows judges the rows of an import: which may be recorded, and why a rejected row may not, in plain words.
// The cells come from a file's reader as text; nothing here knows whether a person or a JSON push filled them in.

import type { DecimalMark } from "../imports/columns/decimal.js";
import { elementColumn } from "../imports/fields.js";
import { isLonger, limits, shortened } from "../imports/limits.js";
import { type Fault, fault, type RowReason } from "./faults.js";

/** A cell whose value cannot be used; its row is rejected. `fault` follows the column's name in the message, such as `holds #REF!`. */
export interface FaultyCell {
  readonly fault: string;
  readonly text: string;
}

export type Cell = string | FaultyCell;

/** A row of a file. It has as many cells as the header has columns. Dates are ISO 8601 local times without a zone. */
export interface Row {
  /** The row number that a spreadsheet program shows: the header is usually row 1, and blank rows count. */
  readonly row: number;
  readonly cells: readonly Cell[];
  /** Set when the whole row is rejected. */
  readonly fault: string | null;
}

export interface Columns {
  /** As the contract has them, never as the file spells them: a name stands in every rejected row and in its reason. */
  readonly names: readonly string[];
  /** By column: the contract's field it holds, or undefined where it is left out. */
  readonly fields: readonly (string | undefined)[];
  /** How numbers are written; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
}

/** Either the values to record, or the reason why there are none. */
export type JudgedValues<Values> = { readonly values: Values; readonly reason?: undefined; readonly faults?: undefined } | RowReason;

export const cellText = (cell: Cell | undefined): string => (cell === undefined ? "" : typeof cell === "string" ? cell : cell.text);

const suspicious = /[\0\ud800-\udfff]/;

/** Postgres text cannot hold NUL, and a lone surrogate would come back as another character. */
export const isStorable = (text: string): boolean => !suspicious.test(text) || (!text.includes("\0") && text.isWellFormed());

/** Reads one column's text without its surrounding blanks. A cell that cannot be used gives undefined, and a fault. */
export type ReadText = (cells: readonly Cell[], faults: Fault[]) => string | undefined;

export function textColumn(columns: Columns, field: string, longest: number = limits.textLength): ReadText {
  const index = columns.fields.indexOf(field);
  if (index === -1) return () => "";
  const name = columns.names[index] ?? field;
  const tooLong = fault("tooLong", `${name} is longer than ${longest} characters`, field);
  const unstorable = fault("unstorable", `${name} holds characters that cannot be stored`, field);
  return (cells, faults) => {
    const cell = cells[index];
    if (typeof cell === "object") {
      faults.push(fault("unreadable", `${name} ${cell.fault}`, field));
      return undefined;
    }
    const text = cell === undefined ? "" : cell.trim();
    if (isLonger(text, longest)) {
      faults.push(tooLong);
      return undefined;
    }
    if (!isStorable(text)) {
      faults.push(unstorable);
      return undefined;
    }
    return text;
  };
}

/** A row is recorded as one event, and the event store takes no more than a mebibyte at a time. */
const longestRow = 100_000;

export function rowFaults({ cells, fault: unusable }: Row): Fault[] {
  const faults = unusable === null ? [] : [fault("unusableRow", unusable)];
  let length = 0;
  for (const cell of cells) length += typeof cell === "string" ? cell.length : cell.text.length;
  if (length > longestRow) faults.push(fault("unusableRow", `The row is longer than ${longestRow} characters`));
  return faults;
}

/** A text as it can be stored: broken characters become U+FFFD, and a text that is too long is cut short. */
export const storableText = (text: string, bytes: number = limits.rejectedValueBytes): string =>
  shortened(isStorable(text) ? text : text.replaceAll("\0", "\ufffd").toWellFormed(), bytes);

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
