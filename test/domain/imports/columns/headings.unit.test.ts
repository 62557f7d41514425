import { expect, test } from "vitest";
import { fileHeadings, headingFaults, headingsKey } from "../../../../src/domain/imports/columns/headings.js";
import { limits } from "../../../../src/domain/imports/limits.js";

test("a heading that stands there twice gets a number that no other heading has", () => {
  expect(fileHeadings([" Postcode", "Postcode ", "Postcode (2)", "Postcode"])).toEqual([
    "Postcode",
    "Postcode (3)",
    "Postcode (2)",
    "Postcode (4)",
  ]);
});

test("a column without a heading, and the two of an error report, have none", () => {
  expect(fileHeadings(["", "Cust", "  "])).toEqual([undefined, "Cust", undefined]);
  expect(fileHeadings(["Row number", "rejection reason", "Row number", "Cust"])).toEqual([undefined, undefined, "Row number", "Cust"]);
  expect(fileHeadings(["Row number", "Cust"])).toEqual(["Row number", "Cust"]);
});

test("two files with the same headings in another order have the same key", () => {
  expect(headingsKey(["a", "b"])).toBe(headingsKey(["b", "a"]));
  expect(headingsKey(["a", "b"])).not.toBe(headingsKey(["a,b"]));
  expect(headingsKey(["a", "b"])).not.toBe(headingsKey(["a", "B"]));
});

test("a heading of 255 bytes can be chosen, one of 256 is refused by name", () => {
  expect(headingFaults(["x".repeat(limits.columnNameBytes - 1), "x".repeat(limits.columnNameBytes)])).toEqual([]);
  expect(headingFaults(["x".repeat(limits.columnNameBytes + 1)])).toEqual([
    expect.stringMatching(/^Column name\(s\) longer than 255 bytes: xxx.*\[cut short\]\. Change them in the file\.$/),
  ]);
});

test("headings come to 100,000 bytes and no more", () => {
  // As JSON: two brackets, and for each heading its text, two quotes and a comma between them.
  const of = (bytes: number): string[] => {
    const some = Array.from({ length: 450 }, (_, index) => `${index}`.padEnd(200, "x"));
    const left = bytes - Buffer.byteLength(JSON.stringify(some)) - 1;
    const more = Math.floor(left / 200);
    const padded = Array.from({ length: more }, (_, index) => `more ${index}`.padEnd(197, "x"));
    const all = [...some, ...padded];
    const rest = bytes - Buffer.byteLength(JSON.stringify(all)) - 3;
    return rest > 0 ? [...all, "y".repeat(rest)] : all;
  };
  const sizes = [-1, 0, 1].map((more) => limits.headingsBytes + more);
  expect(sizes.map((bytes) => Buffer.byteLength(JSON.stringify(of(bytes))))).toEqual(sizes);
  expect(sizes.map((bytes) => headingFaults(of(bytes)).length)).toEqual([0, 0, 1]);
});

test("a header row without names, and names that cannot be stored, are refused", () => {
  expect(headingFaults([])).toEqual(["The header row names no column."]);
  expect(headingFaults(["__proto__", "constructor", "a\ud800"])).toEqual([
    "Column name(s) that cannot be used: __proto__, a\ufffd. Change them in the file.",
  ]);
});
