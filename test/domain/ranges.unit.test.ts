import { expect, test } from "vitest";
import { parseNumbers, rangesInWords, rangesOf } from "../../src/domain/ranges.js";

test("numbers are named by themselves and by ranges, each counts once", () => {
  expect(parseNumbers("5, 9-12,10 ,5", 100)).toEqual([5, 9, 10, 11, 12]);
  expect(rangesInWords(rangesOf([12, 5, 9, 10, 11]))).toBe("5,9-12");
});

test.each(["", "x", "0", "-3", "5-", "9-5", "1.5", "5;6", "1,,2", "12345678901"])("%j names no rows", (text) => {
  expect(() => parseNumbers(text, 100)).toThrow(/^Rows must be numbers such as 5,9-12, not/);
});

test("no more numbers than allowed are made, however large a range is", () => {
  expect(parseNumbers("1-100", 100)).toHaveLength(100);
  for (const text of ["1-101", "1-999999999", "1-60,61-101"]) expect(() => parseNumbers(text, 100)).toThrow("Name at most 100 rows");
});
