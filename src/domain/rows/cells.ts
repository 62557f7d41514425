// src/domain/rows judges the rows of an import: which may be recorded, and why a rejected row may not, in plain words.
// This file has the rows and cells as a file's reader gives them. Nothing here knows whether a person or a JSON push filled them in.
import type { DecimalMark } from "../imports/columns/decimal.js";
import { elementColumn } from "../imports/fields.js";
import { isLongerThan, limits, shortenToBytes } from "../imports/limits.js";
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
  /** Why the row as a whole cannot be used; null if it can. */
  readonly fault: string | null;
}

export interface Columns {
  /** The contract's names, never the file's spellings: rejected rows and their reasons have these names. */
  readonly names: readonly string[];
  /** For each column, the contract's field that it holds, or undefined if the column is ignored. */
  readonly fields: readonly (string | undefined)[];
  /** How numbers are written; undefined for the contract's way. */
  readonly decimal?: DecimalMark | undefined;
}

/** Either the values to record, or the reason why there are none. */
export type JudgedValues<Values> = { readonly values: Values; readonly reason?: undefined; readonly faults?: undefined } | RowReason;

export const cellText = (cell: Cell | undefined): string => (cell === undefined ? "" : typeof cell === "string" ? cell : cell.text);

const maybeUnstorable = /[\0\ud800-\udfff]/;

/** Postgres text cannot hold NUL, and a lone surrogate would come back as another character. */
export const isStorable = (text: string): boolean => !maybeUnstorable.test(text) || (!text.includes("\0") && text.isWellFormed());

/** Reads one column's text without surrounding blanks. For a cell that cannot be used, adds a fault and returns undefined. */
export type ReadText = (cells: readonly Cell[], faults: Fault[]) => string | undefined;

export function textColumn(columns: Columns, field: string, maxLength: number = limits.textLength): ReadText {
  const index = columns.fields.indexOf(field);
  if (index === -1) return () => "";
  const name = columns.names[index] ?? field;
  const tooLong = fault("tooLong", `${name} is longer than ${maxLength} characters`, field);
  const unstorable = fault("unstorable", `${name} holds characters that cannot be stored`, field);
  return (cells, faults) => {
    const cell = cells[index];
    if (typeof cell === "object") {
      faults.push(fault("unreadable", `${name} ${cell.fault}`, field));
      return undefined;
    }
    const text = cell === undefined ? "" : cell.trim();
    if (isLongerThan(text, maxLength)) {
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
const maxRowLength = 100_000;

export function rowFaults({ cells, fault: rowFault }: Row): Fault[] {
  const faults = rowFault === null ? [] : [fault("unusableRow", rowFault)];
  let length = 0;
  for (const cell of cells) length += typeof cell === "string" ? cell.length : cell.text.length;
  if (length > maxRowLength) faults.push(fault("unusableRow", `The row is longer than ${maxRowLength} characters`));
  return faults;
}

/** A text as it can be stored: broken characters become U+FFFD, and a text that is too long is cut short. */
export const storableText = (text: string, maxBytes: number = limits.rejectedValueBytes): string =>
  shortenToBytes(isStorable(text) ? text : text.replaceAll("\0", "\ufffd").toWellFormed(), maxBytes);

/** The values sent for a row, by the contract's column names. Includes a file's blank cells, but not fields that a JSON push left out. */
export function submittedValues(cells: readonly Cell[], columns: Columns, source: "data" | "file"): Record<string, string> {
  const values: Record<string, string> = {};
  let bytesLeft: number = limits.rejectedRowBytes;
  columns.fields.forEach((field, index) => {
    if (field === undefined || field === elementColumn) return;
    const text = storableText(cellText(cells[index]), Math.min(limits.rejectedValueBytes, bytesLeft));
    if (source === "data" && text === "") return;
    bytesLeft = Math.max(0, bytesLeft - Buffer.byteLength(text));
    values[columns.names[index] ?? field] = text;
  });
  return values;
}
