import { expect, test } from "vitest";
import { readWhileThingsChange } from "./knownAt.js";

test.each([2, 3, 4, 5, 6])("totals as of a time stay as they were read, seed %i", { timeout: 600_000 }, async (seed) => {
  expect(await readWhileThingsChange(seed, 200)).toBeGreaterThan(3);
});
