// Builds projections anew from the log, beside the live tables and while the service runs, and then replaces the live tables in one
// transaction.
import type { Position } from "../../ports/eventStore.js";
import { allProjections } from "../allProjections.js";
import { type Comparison, swap } from "./swap.js";
import { type ShadowOptions, withShadow } from "./withShadow.js";

export interface RebuildOptions extends Omit<ShadowOptions, "isWanted"> {
  readonly migrations: readonly string[];
}

export interface RebuildResult {
  readonly events: number;
  readonly position: Position;
  readonly comparisons: readonly Comparison[];
}

export const rebuild = (options: RebuildOptions): Promise<RebuildResult> =>
  withShadow("rebuild", options, async (shadow) => {
    const all = options.projections.length === allProjections.length;
    const comparisons = await swap(shadow, { signal: options.signal, all });
    return { events: shadow.events, position: shadow.reached, comparisons };
  });
