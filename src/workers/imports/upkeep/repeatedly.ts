import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";

const longestMs = 10_000;

/**
 * Does something now and then until the signal aborts. A failure is worth a line, and the next time comes all the same, but later and
 * later: a store that is away for hours is not worth a line twice a second. The first success brings the usual pace back.
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
    const pauseMs = Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, longestMs));
    await setTimeout(pauseMs * (0.9 + Math.random() * 0.2), undefined, { signal }).catch(() => undefined);
  }
}
