import { StoreUnavailable } from "../../../portErrors.js";
import { gathered } from "../../waiting/gathered.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { insist } from "./insist.js";
import { type Ended, type Failed, type Failure, settleDelivered, settleFailed } from "./settle.js";

/** Of this process. Each kind has one statement under way, so that a thousand failures leave the pool's connections to the imports. */
export interface Settling {
  readonly delivered: (ended: Ended) => Promise<void>;
  readonly failed: (failure: Failure) => Promise<Failed>;
}

const atOnce = { most: 100, isOutage: (error: unknown) => error instanceof StoreUnavailable };

export function createSettling({ pool, signal, random = Math.random }: Pick<WebhookWorkerDeps, "pool" | "signal" | "random">): Settling {
  return {
    delivered: gathered(async (all: readonly Ended[]) => {
      await insist(() => settleDelivered(pool, all), signal);
      return all.map(() => undefined);
    }, atOnce),
    failed: gathered((all: readonly Failure[]) => insist(() => settleFailed(pool, all, random), signal), atOnce),
  };
}
