import { StoreUnavailable } from "../../../portErrors.js";
import { batched } from "../../waiting/batched.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { type Attempt, type FailedAttempt, type FailureOutcome, recordDelivered, recordFailed } from "./outcomes.js";
import { retryUntilWritten } from "./retryUntilWritten.js";

/**
 * Writes the outcomes of this process's attempts. Each kind has one statement under way at a time, so that a thousand failures leave
 * connections of the pool to the imports.
 */
export interface OutcomeWriter {
  readonly delivered: (ended: Attempt) => Promise<void>;
  readonly failed: (failure: FailedAttempt) => Promise<FailureOutcome>;
}

const atOnce = { most: 100, isOutage: (error: unknown) => error instanceof StoreUnavailable };

export function createOutcomeWriter({
  pool,
  signal,
  random = Math.random,
}: Pick<WebhookWorkerDeps, "pool" | "signal" | "random">): OutcomeWriter {
  return {
    delivered: batched(async (all: readonly Attempt[]) => {
      await retryUntilWritten(() => recordDelivered(pool, all), signal);
      return all.map(() => undefined);
    }, atOnce),
    failed: batched((all: readonly FailedAttempt[]) => retryUntilWritten(() => recordFailed(pool, all, random), signal), atOnce),
  };
}
