// src/workers/waiting: how a worker waits between two pieces of work, and stops waiting when it is to stop.

import { setTimeout as pause } from "node:timers/promises";

export type Doorbell = ReturnType<typeof doorbell>;

/** Waits that end early when there may be work (`ring`) or the signal aborts. */
export function doorbell(signal: AbortSignal) {
  let rung = new AbortController();
  const ring = () => rung.abort();
  const sleep = (ms: number, until: AbortSignal) => pause(ms, undefined, { signal: until }).catch(() => undefined);
  signal.addEventListener("abort", ring);
  if (signal.aborted) ring();
  return {
    ring,
    /** Waits for the next ring, at most `ms`. A ring since the last wait ends it at once. False when the time was over first. */
    async wait(ms: number): Promise<boolean> {
      await sleep(ms, rung.signal);
      const early = rung.signal.aborted;
      if (early && !signal.aborted) rung = new AbortController();
      return early;
    },
    /** Waits for `ms`; a ring does not end it. */
    pause: (ms: number): Promise<void> => sleep(ms, signal),
  };
}

interface DueTime {
  /** The pause before the first question, and between questions while notices do not arrive. */
  readonly pollMs: number;
  /** Whether notices arrive that ring the bell. Then the question is asked seldom, in case a notice was lost. */
  readonly isTold: () => boolean;
  /** Milliseconds until something is due; 0 or less if something is due now, Infinity if nothing waits. */
  readonly dueInMs: () => Promise<number>;
}

const toldMs = 5_000;

/** Waits until the bell rings or something is due. An idle process asks this one cheap question instead of searching for work. */
export async function waitUntilDue(bell: Doorbell, { pollMs, isTold, dueInMs }: DueTime): Promise<void> {
  for (let ms = pollMs; !(await bell.wait(ms)); ) {
    const due = await dueInMs();
    if (due <= 0) return;
    ms = Math.min(due, isTold() ? toldMs : pollMs);
  }
}
