import { StoreUnavailable } from "../../portErrors.js";

/** Finds StoreUnavailable, which is answered 503 and not 500; a library may have wrapped it in another error. */
export function outageIn(error: unknown): StoreUnavailable | undefined {
  for (let current = error, depth = 0; depth < 5 && current instanceof Error; current = current.cause, depth++) {
    if (current instanceof StoreUnavailable) return current;
  }
  return undefined;
}
