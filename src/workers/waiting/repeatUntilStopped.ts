import type { Logger } from "pino";
import { backOffMs } from "../../backOff.js";
import { type Doorbell, doorbell } from "./doorbell.js";

const longestMs = 10_000;

/**
 * Does `work` whenever the bell rings, and at least every `everyMs`, until the signal aborts. A failure is logged. The pause doubles with each
 * further failure, so that an outage of hours does not fill the log. The first success brings the usual pause back.
 */
export async function repeatUntilStopped(
  what: string,
  everyMs: number | (() => number),
  { logger, signal, bell = doorbell(signal) }: { logger: Logger; signal: AbortSignal; bell?: Doorbell },
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
    const usualMs = typeof everyMs === "number" ? everyMs : everyMs();
    const pauseMs = backOffMs(failures + 1, { firstMs: usualMs, mostMs: Math.max(usualMs, longestMs) });
    await (failures > 0 ? bell.pause(pauseMs) : bell.wait(pauseMs));
  }
}
