// src/workers/waiting: how a worker waits between two pieces of work, and stops waiting when the process stops. This file has the doorbell,
// with which notices of new work end a wait.
import { setTimeout as pause } from "node:timers/promises";

export type Doorbell = ReturnType<typeof createDoorbell>;

/** Lets one loop wait for work. A wait ends early when `ring` is called, because there may be work, or when the signal aborts. */
export function createDoorbell(signal: AbortSignal) {
  let isRung = signal.aborted;
  let endWait = () => {};
  const ring = () => {
    isRung = true;
    endWait();
  };
  signal.addEventListener("abort", ring);
  return {
    ring,
    /** Waits for the next ring, at most `ms`; not at all if the bell rang since the last wait. Returns whether the bell rang. */
    async wait(ms: number): Promise<boolean> {
      // A plain timer, since the bell rings for every push: ending a `pause` by a signal would create two errors each time.
      const ended = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (isRung) endWait();
      await ended;
      const wasRung = isRung;
      isRung = signal.aborted;
      return wasRung;
    },
    /** Waits for `ms`; a ring does not end it. */
    pause: (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined),
  };
}

interface DueCheck {
  /** The wait before the first call of `dueInMs`, and between calls while notices do not arrive. */
  readonly pollMs: number;
  /** Whether notices, which ring the bell, arrive. If so, `dueInMs` is called seldom, only in case a notice was lost. */
  readonly noticesArrive: () => boolean;
  /** Milliseconds until something is due; 0 or less if something is due now, Infinity if nothing waits. */
  readonly dueInMs: () => Promise<number>;
}

const noticedPollMs = 5_000;

/** Waits until the bell rings or something is due. An idle process only calls the cheap `dueInMs` instead of searching for work. */
export async function waitUntilDue(bell: Doorbell, { pollMs, noticesArrive, dueInMs }: DueCheck): Promise<void> {
  for (let ms = pollMs; !(await bell.wait(ms)); ) {
    const due = await dueInMs();
    if (due <= 0) return;
    ms = Math.min(due, noticesArrive() ? noticedPollMs : pollMs);
  }
}
