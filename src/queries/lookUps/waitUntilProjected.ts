import { StoreUnavailable } from "../../portErrors.js";
import { lookUntilFound } from "../../timeLimit.js";

/** The tables may be a moment behind the streams: looks again until what is sought is there, with a deadline. */
export async function waitUntilProjected<Found>(look: () => Promise<Found | undefined>, behind: string, withinMs = 5_000): Promise<Found> {
  const found = await lookUntilFound(withinMs, look);
  if (found === undefined) throw new StoreUnavailable("database", behind);
  return found;
}
