import fc from "fast-check";
import { expect, test } from "vitest";
import { backOffMs } from "../src/backOff.js";

const failures = fc.integer({ min: 1, max: 5_000 });
const range = fc.record({ firstMs: fc.integer({ min: 1, max: 2_000 }), maxMs: fc.integer({ min: 2_000, max: 600_000 }) });

test("a pause is from half to all of the first one, doubled with each failure, and never longer than the longest", () => {
  fc.assert(
    fc.property(failures, range, (count, { firstMs, maxMs }) => {
      let full = firstMs;
      for (let failure = 1; failure < count && full < maxMs; failure += 1) full *= 2;
      full = Math.min(full, maxMs);
      const pause = backOffMs(count, { firstMs, maxMs });
      expect(pause).toBeGreaterThanOrEqual(Math.floor(full / 2));
      expect(pause).toBeLessThanOrEqual(full);
    }),
  );
});

test("processes that failed together do not try again together", () => {
  const pauses = Array.from({ length: 100 }, () => backOffMs(5, { firstMs: 1_000, maxMs: 60_000 }));
  expect(new Set(pauses).size).toBeGreaterThan(50);
});
