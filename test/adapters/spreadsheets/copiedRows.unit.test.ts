// Rows as Postgres copies them out become the same bytes as when they are written cell by cell.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import type { CsvCell } from "../../../src/ports/spreadsheets.js";

const { csvFromCopy, cellsFromCopy, csvLine } = spreadsheets;

/** As COPY escapes a text. */
const letters: Readonly<Record<string, string>> = { "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v", "\\": "\\" };
const copiedText = (text: string) => text.replaceAll(/[\b\f\n\r\t\v\\]/g, (found) => `\\${letters[found]}`);

/** Text, number, text: a number may have a sign, and is neither quoted nor made inert. */
const isNumber = [false, true, false];
const cellsOf = (row: readonly string[]): CsvCell[] =>
  row.map((text, column) => (isNumber[column] && text !== "" ? { decimal: text } : text));
const copiedOf = (rows: readonly (readonly string[])[]) => ({
  lines: Buffer.from(rows.map((row) => `${row.map(copiedText).join("\t")}\n`).join("")),
  isNumber,
});

const tricky = [
  ..."=+-@＝＋－＠ \t\r\n\v\f\b\"'\\,;.:/aZ09_\u0000\u001f\u007f\u00a0\u1680\u2003\u200b\u200d\u2028\u2060\u3000\ufefféüЖ語😀",
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...tricky), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.constantFrom("CUST-001", "2026-03-01T09:30:00+10:30", "PO - 12", "Kühlhaus, Süd", "a@b.example", "cold;-18"),
  fc.string({ unit: "binary", maxLength: 8 }).map((any) => any.toWellFormed()),
);
const number = fc.constantFrom("", "0", "-1234567.5", "0.0000001", "999999999999999");
const rows = fc.array(fc.tuple(text, number, text), { maxLength: 5 });

describe("copied rows", () => {
  test("are the same records as their cells", () => {
    fc.assert(
      fc.property(rows, (some) => {
        expect(csvFromCopy(copiedOf(some)).toString()).toBe(some.map((row) => csvLine(cellsOf(row))).join(""));
      }),
      { numRuns: 3_000 },
    );
  });

  test("have the cells that were copied", () => {
    fc.assert(
      fc.property(rows, (some) => {
        expect(cellsFromCopy(copiedOf(some))).toEqual(some.map(cellsOf));
      }),
    );
  });

  test("that grow most are written whole, after fewer and after longer rows", () => {
    for (const some of [[['"', "", '"']], Array.from({ length: 2_000 }, () => ["-", "1", '"']), [["x".repeat(100_000), "", "=".repeat(9)]]])
      expect(csvFromCopy(copiedOf(some)).toString()).toBe(some.map((row) => csvLine(cellsOf(row))).join(""));
  });

  test("keep what they were given while later rows are written", () => {
    const first = csvFromCopy(copiedOf([["first", "1", ""]]));
    csvFromCopy(copiedOf([["other", "2", ""]]));
    expect(first.toString()).toBe('"first",1,\r\n');
  });
});
