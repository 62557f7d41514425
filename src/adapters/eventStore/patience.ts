// Waiting that always ends.
import { setTimeout as pause } from "node:timers/promises";
import { backOffMs } from "../../backOff.js";
import { StoreUnavailable } from "../../portErrors.js";
import { withTimeLimit } from "../../timeLimit.js";

/** Fails with StoreUnavailable when the promise has not settled in time; the client's own deadlines do not cover everything. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return withTimeLimit(milliseconds, promise, () => {
    throw new StoreUnavailable("event store", `${what}: no answer within ${milliseconds} ms`);
  });
}

/** No pause before the first retry, since a lost connection is replaced at once. */
export async function backOff(failures: number, signal?: AbortSignal): Promise<void> {
  if (failures <= 1) return;
  const milliseconds = backOffMs(failures - 1, { firstMs: 25, mostMs: 1000 });
  await pause(milliseconds, undefined, signal ? { signal } : {}).catch(() => undefined);
}
