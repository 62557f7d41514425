import { StoreUnavailable } from "../../portErrors.js";
import { lookUntilFound } from "../../timeLimit.js";

/** Repeats `find` until it finds something, since the tables may be a moment behind the streams. Throws after `maxMs`. */
export async function waitUntilProjected<Found>(find: () => Promise<Found | undefined>, message: string, maxMs = 5_000): Promise<Found> {
  const found = await lookUntilFound(maxMs, find);
  if (found === undefined) throw new StoreUnavailable("database", message);
  return found;
}
