import { setTimeout as pause } from "node:timers/promises";
import { StoreUnavailable } from "../../../portErrors.js";
import { claimSeconds } from "./times.js";

const longestPauseMs = 2_000;

/**
 * Writes down what came of an attempt, also when the database is away for a while: what is not written down is sent once more, after the
 * claim has run out. `write` may be repeated: it changes nothing where it has been done or the claim is over.
 */
export async function insist<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const end = performance.now() + claimSeconds * 1_000;
  for (let pauseMs = 100; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || signal.aborted || performance.now() + pauseMs > end) throw error;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
