// src/workers/waiting: how a worker waits between two pieces of work, and stops waiting when it is to stop.

import { setTimeout as pause } from "node:timers/promises";

export type Doorbell = ReturnType<typeof doorbell>;

/** A place to wait: a wait ends early when there may be work (`ring`) or the signal aborts. One loop waits on it. */
export function doorbell(signal: AbortSignal) {
  let isRung = signal.aborted;
  let endWait = () => {};
  const ring = () => {
    isRung = true;
    endWait();
  };
  signal.addEventListener("abort", ring);
  return {
    ring,
    /** Waits for the next ring, at most `ms`. A ring since the last wait ends it at once. False when the time was over first. */
    async wait(ms: number): Promise<boolean> {
      // Not by `pause`: the bell rings for every push, and a wait that a signal ends costs two errors.
      const ended = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (isRung) endWait();
      await ended;
      const early = isRung;
      isRung = signal.aborted;
      return early;
    },
    /** Waits for `ms`; a ring does not end it. */
    pause: (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined),
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
