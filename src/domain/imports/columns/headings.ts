// src/domain/imports/columns is about files with other headings than the contract's: people choose the field of each column. Here are the
// headings by which a choice names the columns.
import { hash } from "node:crypto";
import { foldName, reportColumns } from "../../files/header.js";
import { isStorable } from "../../rows/cells.js";
import { limits, listNames } from "../limits.js";

/**
 * For each column, the heading by which a choice names it. A repeated heading gets a number: `Postcode`, `Postcode (2)`. Undefined for a
 * column without a heading, and for an error report's own two columns.
 */
export function fileHeadings(columns: readonly string[]): (string | undefined)[] {
  const reportIndexes = reportColumns.map((name) => columns.findIndex((column) => foldName(column) === foldName(name)));
  const isReport = !reportIndexes.includes(-1);
  const trimmed = columns.map((column, index) => (isReport && reportIndexes.includes(index) ? "" : column.trim()));
  const trimmedSet = new Set(trimmed);
  const seen = new Set<string>();
  return trimmed.map((heading) => {
    if (heading === "") return undefined;
    let distinct = heading;
    for (let number = 2; seen.has(distinct) || (number > 2 && trimmedSet.has(distinct)); number += 1) distinct = `${heading} (${number})`;
    seen.add(distinct);
    return distinct;
  });
}

/** The headings alone, in the file's order. */
export const headingsIn = (columns: readonly string[]): string[] => fileHeadings(columns).filter((heading) => heading !== undefined);

/** A key that is equal for files with the same headings in any order. */
export const headingsKey = (headings: Iterable<string>): string => hash("sha256", JSON.stringify([...headings].sort()), "hex");

const maxShownNames = 20;

/** Why no choice can be made for these headings. */
export function headingFaults(headings: readonly string[]): string[] {
  if (headings.length === 0) return ["The header row names no column."];
  const tooLong = headings.filter((heading) => Buffer.byteLength(heading) > limits.columnNameBytes);
  const unusable = headings.filter((heading) => !isStorable(heading) || heading === "__proto__");
  const bytes = Buffer.byteLength(JSON.stringify(headings));
  return [
    ...(headings.length > limits.chosenColumns
      ? [`The file has more than ${limits.chosenColumns} columns. Remove the columns that are not needed.`]
      : []),
    ...namesFault(`Column name(s) longer than ${limits.columnNameBytes} bytes`, tooLong),
    ...namesFault("Column name(s) that cannot be used", unusable),
    ...(bytes > limits.headingsBytes
      ? [`The column names come to more than ${limits.headingsBytes.toLocaleString("en")} bytes. Shorten them, or remove columns.`]
      : []),
  ];
}

function namesFault(label: string, headings: readonly string[]): string[] {
  if (headings.length === 0) return [];
  const shown = listNames(
    headings.map((heading) => heading.toWellFormed()),
    maxShownNames,
  );
  return [`${label}: ${shown}. Change them in the file.`];
}
