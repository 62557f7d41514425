import { expect, test } from "vitest";
import { slicesOf } from "../../../src/workers/webhooks/following/slices.js";

const rows = (count: number) => count;

test("events are cut into slices in their order, and no slice adds more rows than the limit", () => {
  expect(slicesOf([], rows, 5)).toEqual([]);
  expect(slicesOf([4], rows, 5)).toEqual([[4]]);
  expect(slicesOf([4, 1], rows, 5)).toEqual([[4, 1]]);
  expect(slicesOf([4, 2], rows, 5)).toEqual([[4], [2]]);
  expect(slicesOf([2, 2, 0, 1, 1, 5, 0], rows, 5)).toEqual([[2, 2, 0, 1], [1], [5, 0]]);
});

test("an event that alone adds more rows than the limit is a slice of its own", () => {
  expect(slicesOf([1, 6, 1, 0], rows, 5)).toEqual([[1], [6], [1, 0]]);
  expect(slicesOf([6, 0], rows, 5)).toEqual([[6], [0]]);
});
