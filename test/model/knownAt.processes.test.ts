import { expect, test } from "vitest";
import { readWhileThingsChange } from "./knownAt.js";

test("totals as of a time stay as they were read, and the changes since add up to the difference", { timeout: 600_000 }, async () => {
  expect(await readWhileThingsChange(1, 60)).toBeGreaterThan(3);
});
