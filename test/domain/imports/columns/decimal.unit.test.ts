import { expect, test } from "vitest";
import { contradictingNumber, createNumberEvidence, decimalMarkIn, readNumber } from "../../../../src/domain/imports/columns/decimal.js";

/** The number with a decimal point, with a decimal comma, and as the contract reads it. */
test.each<[string, point: number | undefined, comma: number | undefined, plain?: number]>([
  ["1,5", undefined, 1.5],
  ["-1,5", undefined, -1.5],
  ["0,123", undefined, 0.123],
  [",5", undefined, 0.5],
  ["12,34", undefined, 12.34],
  ["1.234", 1.234, 1234, 1.234],
  ["1,234", 1234, 1.234],
  ["1.234,50", undefined, 1234.5],
  ["1,234.5", 1234.5, undefined],
  ["1 234,5", undefined, 1234.5],
  ["1\u00a0234,5", undefined, 1234.5],
  ["1\u202f234 567,5", undefined, undefined],
  ["1'234.5", 1234.5, undefined],
  ["1\u2019234\u2019567.5", 1234567.5, undefined],
  ["1 234", 1234, 1234],
  ["-1 234 567", -1234567, -1234567],
  ["12.345.678", undefined, 12345678],
  ["12,345,678", 12345678, undefined],
  ["1234.567,8", undefined, undefined],
  ["1.23.456", undefined, undefined],
  ["1,23,456", undefined, undefined],
  ["1.234,567.8", undefined, undefined],
  ["1 23", undefined, undefined],
  ["1 2345", undefined, undefined],
  ["0.123", 0.123, undefined, 0.123],
  ["012,345", undefined, 12.345],
  ["1.5", 1.5, undefined, 1.5],
  ["1.5e3", 1500, undefined, 1500],
  ["1,5e3", undefined, 1500],
  ["1234", 1234, 1234, 1234],
  ["", undefined, undefined],
  ["1.000.000.000.000.000", undefined, undefined],
  ["999.999.999.999.999", undefined, 999999999999999],
  ["$1,5", undefined, undefined],
])("%j is %j with a point, %j with a comma, and %j in the contract", (text, point, comma, plain) => {
  expect([readNumber(text, "point"), readNumber(text, "comma"), readNumber(text, undefined)]).toEqual([point, comma, plain]);
});

test.each<[string, string[], ReturnType<typeof decimalMarkIn>]>([
  ["one that only a comma explains", ["3", "1.234", "1,5"], { decimal: "comma", example: "1,5" }],
  ["thousands and decimals", ["1.234,50"], { decimal: "comma", example: "1.234,50" }],
  ["one that only a point explains", ["1,234", "0.5"], { decimal: "point", example: "0.5" }],
  ["only what can be read both ways", ["7", "1.234", "1,234"], { decimal: undefined, example: "1.234" }],
  ["both kinds", ["1,5", "0.5"], { decimal: undefined, example: "1,5", counterexample: "0.5" }],
  ["thousands that any reading takes alike", ["1 234"], { decimal: "point", example: "1 234" }],
  ["only whole numbers", ["1", "1234", "-7", "", "n/a", "2026-03-01", "1.23.456"], undefined],
])("%s", (_, values, found) => {
  expect(decimalMarkIn(values)).toEqual(found);
});

test("a declaration is contradicted by what only the other one reads", () => {
  expect(contradictingNumber(["1.234", "1,5"], "comma")).toBe(undefined);
  expect(contradictingNumber(["1.234", "0.5"], "comma")).toBe("0.5");
  expect(contradictingNumber(["1,234", "1,5"], "point")).toBe("1,5");
  expect(contradictingNumber(["1,234", "1 234", "7"], "point")).toBe(undefined);
});

test("without a declaration nothing is left that the contract would reject or that can be read in two ways", () => {
  expect(contradictingNumber(["1", "1234", "x"], undefined)).toBe(undefined);
  expect(contradictingNumber(["1.234"], undefined)).toBe("1.234");
  expect(contradictingNumber(["1.234", "0.5"], undefined)).toBe(undefined);
  expect(contradictingNumber(["0.5", "1,234"], undefined)).toBe("1,234");
  expect(contradictingNumber(["1 234"], undefined)).toBe("1 234");
  expect(contradictingNumber(["1,5"], undefined)).toBe("1,5");
  expect(contradictingNumber(["0.5", "1,5"], undefined)).toBe("1,5");
});

test("a few values say what all of them say", () => {
  const forms = createNumberEvidence();
  const all = [...Array.from({ length: 1_000 }, (_, index) => `${index},5`), "7", "1.234", "5.678", "0.5", "1,234.5", "x"];
  for (const cell of all) forms.add(cell);
  expect(forms.values()).toEqual(["0,5", "1.234", "0.5", "1,234.5"]);
  expect(decimalMarkIn(forms.values())).toEqual(decimalMarkIn(all));
});
