import { setTimeout as pause } from "node:timers/promises";

const shortestMs = 20;
const longestMs = 250;

/** The pause before a condition is checked again: a quarter of the time waited so far. A check may cost a request and processor time. */
export const untilNextLook = (begun: number): Promise<void> =>
  pause(Math.min(longestMs, Math.max(shortestMs, (performance.now() - begun) / 4)));

/** Waits until the condition holds, and fails after the deadline with what it was waiting for. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  waitingFor = "a condition",
  deadlineMs = 90_000,
): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > deadlineMs) throw new Error(`waited ${deadlineMs} ms for ${waitingFor}`);
    await untilNextLook(begun);
  }
}
