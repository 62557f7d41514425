import { setTimeout as pause } from "node:timers/promises";
import { backOffMs } from "../../../backOff.js";
import { StoreUnavailable } from "../../../portErrors.js";
import { claimSeconds } from "./deliveryDeadlines.js";

const pauses = { firstMs: 100, mostMs: 2_000 };

/**
 * Writes the outcome of an attempt, and tries again while the database is unavailable: a delivery whose outcome is not written is sent once
 * more when its claim has run out. `write` must change nothing if it was done before or if another process has claimed the delivery.
 */
export async function retryUntilWritten<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const end = performance.now() + claimSeconds * 1_000;
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      const pauseMs = backOffMs(failures, pauses);
      if (!(error instanceof StoreUnavailable) || signal.aborted || performance.now() + pauseMs > end) throw error;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
