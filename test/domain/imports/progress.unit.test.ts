import { expect, test } from "vitest";
import { progressOf } from "../../../src/domain/imports/progress.js";

test("an import that runs has read a tenth at 0 rows, and is never at 100, not even without a row", () => {
  expect([progressOf(0, 0), progressOf(0, 10), progressOf(9, 10), progressOf(10, 10), progressOf(11, 10)]).toEqual([10, 10, 90, 99, 99]);
});
