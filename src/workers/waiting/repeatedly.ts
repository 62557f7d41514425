import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { backOffMs } from "../../backOff.js";

const longestMs = 10_000;

/**
 * Does `work` every `everyMs` at the most, until the signal aborts. A failure is logged, and the pause doubles with each further failure, so
 * that an outage of hours does not fill the log. The first success brings the usual pause back.
 */
export async function repeatedly(
  what: string,
  everyMs: number,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await work();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!signal.aborted) logger.warn({ err: error, failures }, `${what} failed`);
    }
    const pauseMs = backOffMs(failures + 1, { firstMs: everyMs, mostMs: Math.max(everyMs, longestMs) });
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
