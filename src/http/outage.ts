import { StoreUnavailable } from "../portErrors.js";

/** An outage of a store is the caller's cue to try again, not a bug; libraries may have wrapped it. */
export function isOutage(error: unknown): boolean {
  for (let current = error, depth = 0; depth < 5 && current instanceof Error; current = current.cause, depth++) {
    if (current instanceof StoreUnavailable) return true;
  }
  return false;
}
