import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";

/** Does something now and then until the signal aborts; a failure is worth a line, and the next time comes all the same. */
export async function repeatedly(
  what: string,
  everyMs: number,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, `${what} failed`);
    }
    await setTimeout(everyMs * (0.9 + Math.random() * 0.2), undefined, { signal }).catch(() => undefined);
  }
}
