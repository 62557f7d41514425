// src/domain/imports/columns is about files whose headings are not ours: which field each of their columns holds, and how such a choice is applied.
import { hash } from "node:crypto";
import { foldName, reportColumns } from "../../files/header.js";
import { isStorable } from "../../rows/cells.js";
import { firstNames, limits } from "../limits.js";

/**
 * By column: its heading, without which a choice cannot name it. A heading that stands there before gets a number: `Postcode`, `Postcode (2)`.
 * Undefined for a column without a heading, and for the two that an error report has of its own.
 */
export function fileHeadings(columns: readonly string[]): (string | undefined)[] {
  const own = reportColumns.map((name) => columns.findIndex((column) => foldName(column) === foldName(name)));
  const isReport = !own.includes(-1);
  const given = columns.map((column, index) => (isReport && own.includes(index) ? "" : column.trim()));
  const taken = new Set(given);
  const seen = new Set<string>();
  return given.map((heading) => {
    if (heading === "") return undefined;
    let distinct = heading;
    for (let number = 2; seen.has(distinct) || (number > 2 && taken.has(distinct)); number += 1) distinct = `${heading} (${number})`;
    seen.add(distinct);
    return distinct;
  });
}

/** The headings alone, in the file's order. */
export const headingsIn = (columns: readonly string[]): string[] => fileHeadings(columns).filter((heading) => heading !== undefined);

/** The same for two files with the same headings, in whatever order. */
export const headingsKey = (headings: Iterable<string>): string => hash("sha256", JSON.stringify([...headings].sort()), "hex");

const shownNames = 20;

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
    ...listed(`Column name(s) longer than ${limits.columnNameBytes} bytes`, tooLong),
    ...listed("Column name(s) that cannot be used", unusable),
    ...(bytes > limits.headingsBytes
      ? [`The column names come to more than ${limits.headingsBytes.toLocaleString("en")} bytes. Shorten them, or remove columns.`]
      : []),
  ];
}

function listed(label: string, headings: readonly string[]): string[] {
  if (headings.length === 0) return [];
  const shown = firstNames(
    headings.map((heading) => heading.toWellFormed()),
    shownNames,
  );
  return [`${label}: ${shown}. Change them in the file.`];
}
