import { StoreUnavailable } from "../../../portErrors.js";
import { gathered } from "../../waiting/gathered.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { insist } from "./insist.js";
import { type Ended, type Failed, type Failure, writeDelivered, writeFailed } from "./outcomes.js";

/**
 * Writes the outcomes of this process's attempts. Each kind has one statement under way at a time, so that a thousand failures leave
 * connections of the pool to the imports.
 */
export interface OutcomeWriter {
  readonly delivered: (ended: Ended) => Promise<void>;
  readonly failed: (failure: Failure) => Promise<Failed>;
}

const atOnce = { most: 100, isOutage: (error: unknown) => error instanceof StoreUnavailable };

export function createOutcomeWriter({
  pool,
  signal,
  random = Math.random,
}: Pick<WebhookWorkerDeps, "pool" | "signal" | "random">): OutcomeWriter {
  return {
    delivered: gathered(async (all: readonly Ended[]) => {
      await insist(() => writeDelivered(pool, all), signal);
      return all.map(() => undefined);
    }, atOnce),
    failed: gathered((all: readonly Failure[]) => insist(() => writeFailed(pool, all, random), signal), atOnce),
  };
}
