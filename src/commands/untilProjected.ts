import { setTimeout } from "node:timers/promises";
import { StoreUnavailable } from "../portErrors.js";

const lookMs = 50;

/** Repeats a look-up in the tables, which may be a moment behind the streams, until it finds something. Then, or when the time is up, it ends. */
export async function untilProjected<Found>(look: () => Promise<Found | undefined>, behind: string, withinMs = 5_000): Promise<Found> {
  for (const deadline = performance.now() + withinMs; ; await setTimeout(lookMs)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new StoreUnavailable("database", behind);
  }
}
