// src/workers/waiting: how a worker waits between two pieces of work, and stops waiting when it is to stop.

/** Waits that end early when there may be work (`ring`) or the signal aborts. */
export interface Doorbell {
  ring(): void;
  /** Waits for the next ring, at most `ms`. A ring since the last wait ends it at once. False when the time was over first. */
  wait(ms: number): Promise<boolean>;
  /** Waits for `ms`; a ring does not end it. */
  pause(ms: number): Promise<void>;
}

export function doorbell(signal: AbortSignal): Doorbell {
  let rung = false;
  let wake: (() => void) | undefined;
  const sleep = (ms: number, wakeable: boolean) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
      if (wakeable) wake = done;
      if (signal.aborted) done();
    });
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) await sleep(ms, true);
      const early = rung || signal.aborted;
      rung = false;
      return early;
    },
    pause: (ms) => sleep(ms, false),
  };
}
