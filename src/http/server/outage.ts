import { StoreUnavailable } from "../../portErrors.js";

/** A store that cannot be used is no bug of ours, and an outage is the caller's cue to try again; libraries may have wrapped it. */
export function outageIn(error: unknown): StoreUnavailable | undefined {
  for (let current = error, depth = 0; depth < 5 && current instanceof Error; current = current.cause, depth++) {
    if (current instanceof StoreUnavailable) return current;
  }
  return undefined;
}
