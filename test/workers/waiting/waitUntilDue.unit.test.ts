import { expect, test } from "vitest";
import { createDoorbell, type Doorbell, waitUntilDue } from "../../../src/workers/waiting/doorbell.js";

/** A bell that rings after so many waits, and notes how long each would have been. */
function ringingAfter(waits: number): Doorbell & { readonly waited: number[] } {
  const waited: number[] = [];
  return { waited, ring: () => undefined, pause: async () => undefined, wait: async (ms) => waited.push(ms) > waits };
}

const nothingWaits = async () => Number.POSITIVE_INFINITY;

test("where it is told, it asks once and then seldom; where it is not told, it goes on asking", async () => {
  const told = ringingAfter(4);
  await waitUntilDue(told, { pollMs: 500, noticesArrive: () => true, dueInMs: nothingWaits });
  expect(told.waited).toEqual([500, 5_000, 5_000, 5_000, 5_000]);
  const untold = ringingAfter(4);
  await waitUntilDue(untold, { pollMs: 500, noticesArrive: () => false, dueInMs: nothingWaits });
  expect(untold.waited).toEqual([500, 500, 500, 500, 500]);
});

test("it ends when something is due, and waits no longer than until then", async () => {
  const bell = ringingAfter(9);
  const answers = [1_200, 30, 0];
  await waitUntilDue(bell, { pollMs: 500, noticesArrive: () => true, dueInMs: async () => answers.shift() ?? 0 });
  expect(bell.waited).toEqual([500, 1_200, 30]);
});

test("a ring that came before the wait ends it without a question, and so does the end of the process", async () => {
  const stop = new AbortController();
  const bell = createDoorbell(stop.signal);
  let asked = 0;
  const due = { pollMs: 3_600_000, noticesArrive: () => true, dueInMs: async () => ++asked };
  bell.ring();
  await waitUntilDue(bell, due);
  const waiting = waitUntilDue(bell, due);
  stop.abort();
  await waiting;
  expect(asked).toBe(0);
});
