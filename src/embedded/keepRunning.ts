import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { backOffMs } from "../backOff.js";

export interface RunningProcess {
  /** Resolves with the reason when it has ended. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SupervisedProcess<Thing extends RunningProcess> {
  current(): Thing | undefined;
  /** Stops it for good. */
  stop(): Promise<void>;
}

const pauses = { firstMs: 200, mostMs: 10_000 };
const stableMs = 30_000;

/** Starts a process again whenever it ends by itself, after a pause that doubles while it keeps failing. */
export function keepRunning<Thing extends RunningProcess>(options: {
  name: string;
  first: Thing;
  /** The signal aborts when it is stopped for good, also during a start. */
  start: (signal: AbortSignal) => Promise<Thing>;
  logger: Logger;
  onStart?: () => void;
}): SupervisedProcess<Thing> {
  const { name, logger } = options;
  const stopping = new AbortController();
  let current: Thing | undefined = options.first;
  const watch = (async () => {
    let failures = 0;
    let reason = "";
    while (!stopping.signal.aborted) {
      if (current) {
        const startedAt = Date.now();
        reason = await current.exited;
        if (stopping.signal.aborted) return;
        if (Date.now() - startedAt > stableMs) failures = 0;
      }
      current = undefined;
      failures += 1;
      const restartInMs = backOffMs(failures, pauses);
      logger.error({ child: name, reason, restartInMs }, `${name} ended by itself, starting it again`);
      await pause(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      current = await options.start(stopping.signal).catch((error: Error) => {
        reason = error.message;
        return undefined;
      });
      if (current) options.onStart?.();
    }
  })();
  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await watch;
      await current?.stop(); // if it was being started meanwhile
    },
  };
}
