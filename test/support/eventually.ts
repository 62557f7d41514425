import { setTimeout as pause } from "node:timers/promises";

const shortestMs = 5;
const longestMs = 100;

/** Before a condition is looked at again: a tenth of the time that it was waited for. A look may cost a request, and others need the processor. */
export const untilNextLook = (begun: number): Promise<void> =>
  pause(Math.min(longestMs, Math.max(shortestMs, (performance.now() - begun) / 10)));

/** Waits until the condition holds, and fails after the deadline with what it was waiting for. On a busy machine it comes late, or never. */
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
