/** Waits that end early: on a ring, or when the worker is to stop. */
export interface Doorbell {
  ring(): void;
  /** Until the next ring, or for so long. A ring that nobody waited for is not lost. */
  wait(ms: number): Promise<void>;
  /** For so long, whoever rings. */
  pause(ms: number): Promise<void>;
}

export function doorbell(signal: AbortSignal): Doorbell {
  let rung = false;
  let wake: (() => void) | undefined;
  const sleep = (ms: number, wakeable: boolean) =>
    new Promise<void>((settle) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        wake = undefined;
        settle();
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
      rung = false;
    },
    pause: (ms) => sleep(ms, false),
  };
}
