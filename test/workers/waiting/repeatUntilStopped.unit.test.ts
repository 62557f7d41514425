import { pino } from "pino";
import { expect, test } from "vitest";
import { repeatUntilStopped } from "../../../src/workers/waiting/repeatUntilStopped.js";

const logger = pino({ level: "silent" });

test("the pause doubles with each failure, and is the usual one again after a success", async () => {
  const stop = new AbortController();
  const everyMs = 20;
  const begun: number[] = [];
  await repeatUntilStopped("trying", everyMs, { logger, signal: stop.signal }, async () => {
    begun.push(performance.now());
    if (begun.length === 30) stop.abort(); // enough pauses for a short one: on a busy machine some are long
    if (begun.length <= 5) throw new Error("away");
  });
  const pauses = begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
  for (const [index, pause] of pauses.slice(0, 5).entries()) expect(pause).toBeGreaterThanOrEqual(everyMs * 2 ** (index + 1) * 0.45);
  expect(Math.min(...pauses.slice(5))).toBeLessThan(everyMs * 2 ** 4);
});

test("a long pause ends when the signal is aborted", async () => {
  const stop = new AbortController();
  let tried = 0;
  const trying = repeatUntilStopped("trying", 3_600_000, { logger, signal: stop.signal }, async () => {
    tried += 1;
    setImmediate(() => stop.abort());
    throw new Error("away");
  });
  await trying;
  expect(tried).toBe(1);
});
