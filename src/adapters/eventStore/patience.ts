// Waiting that always ends.
import { setTimeout as pause } from "node:timers/promises";
import { StoreUnavailable } from "../../portErrors.js";
import { withTimeLimit } from "../../timeLimit.js";

/** Fails with StoreUnavailable when the promise has not settled in time; the client's own deadlines do not cover everything. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return withTimeLimit(milliseconds, promise, () => {
    throw new StoreUnavailable("event store", `${what}: no answer within ${milliseconds} ms`);
  });
}

/**
 * No pause before the first retry, since a lost connection is replaced at once. Then 25 ms, doubling up to a second; each pause is a random
 * part from half to all of that, so that many processes do not retry at the same moment.
 */
function backOffMs(failures: number): number {
  if (failures <= 1) return 0;
  const full = Math.min(1000, 25 * 2 ** Math.min(failures - 2, 10));
  return full * (0.5 + Math.random() / 2);
}

export async function backOff(failures: number, signal?: AbortSignal): Promise<void> {
  const milliseconds = backOffMs(failures);
  if (milliseconds === 0) return;
  await pause(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
}
