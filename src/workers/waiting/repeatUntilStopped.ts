import type { Logger } from "pino";
import { backOffMs } from "../../backOff.js";
import { createDoorbell, type Doorbell } from "./doorbell.js";

const maxFailurePauseMs = 10_000;

/**
 * Runs `work` whenever the bell rings, and at least every `everyMs`, until the signal aborts. Logs each failure. The pause doubles with
 * each further failure, so that a long outage does not fill the log, and the first success restores the usual pause.
 */
export async function repeatUntilStopped(
  taskName: string,
  everyMs: number | (() => number),
  { logger, signal, bell = createDoorbell(signal) }: { logger: Logger; signal: AbortSignal; bell?: Doorbell },
  work: () => Promise<void>,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await work();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!signal.aborted) logger.warn({ err: error, failures }, `${taskName} failed`);
    }
    const usualMs = typeof everyMs === "number" ? everyMs : everyMs();
    const pauseMs = backOffMs(failures + 1, { firstMs: usualMs, maxMs: Math.max(usualMs, maxFailurePauseMs) });
    await (failures > 0 ? bell.pause(pauseMs) : bell.wait(pauseMs));
  }
}
