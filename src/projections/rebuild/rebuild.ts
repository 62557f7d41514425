// Builds projections anew from the log, beside the live tables and while the service runs, and then replaces the live tables in one
// transaction.
import type { PoolClient } from "pg";
import { beginning, type Position, shareOf } from "../../ports/eventStore.js";
import { allProjections } from "../allProjections.js";
import type { Projection, Running } from "../projection.js";
import { latest, readCheckpoints, startAfter } from "../running/checkpoints.js";
import { tryHold } from "../running/locks.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { createShadow, dropShadow } from "./shadowSchema.js";
import { type Comparison, swap } from "./swap.js";

export interface RebuildOptions extends Running {
  /** The SQL statements that create the tables. */
  readonly migrations: readonly string[];
  readonly projections: readonly Projection[];
  readonly onProgress?: (progress: { events: number; share: number }) => void;
}

export interface Rebuilt {
  readonly events: number;
  readonly position: Position;
  readonly comparisons: readonly Comparison[];
}

const rounds = 5;
const fewEvents = 5_000;

export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const holder = await options.pool.connect();
  try {
    if (!(await tryHold(holder, "rebuild"))) throw new Error("another rebuild is running; wait for it to end");
    return await rebuildAlone(options);
  } finally {
    // Ends the transaction that holds the lock: the server notices a closed connection only a moment later.
    await holder.query("rollback").catch(() => undefined);
    holder.release(true);
  }
}

async function rebuildAlone(options: RebuildOptions): Promise<Rebuilt> {
  const client = await options.pool.connect();
  let broken: Error | undefined;
  try {
    const tables = options.projections.flatMap((each) => each.tables);
    const schemaId = await createShadow(client, options.migrations, tables);
    try {
      return await build(client, schemaId, options);
    } finally {
      await dropShadow(client, schemaId).catch((error: Error) => {
        broken = error;
        options.logger.warn({ err: error }, "the rebuild's schema could not be dropped; the next rebuild drops it");
      });
    }
  } catch (error) {
    broken ??= error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function build(client: PoolClient, schemaId: number, options: RebuildOptions): Promise<Rebuilt> {
  const { projections, eventStore, logger, signal } = options;
  const start = { reached: beginning, readUpTo: beginning, events: 0, lastEvent: undefined, logId: undefined };
  const shadow: Shadow = { client, schemaId, projections, knownImports: new Map(), eventStore, logger, ...start };
  for (let round = 1; round <= rounds; round += 1) {
    const before = shadow.events;
    await catchUp(shadow, { until: await goal(options), signal, onProgress: await progressTo(options) });
    if (shadow.events - before < fewEvents) break;
  }
  const comparisons = await swap(shadow, { signal, all: projections.length === allProjections.length });
  return { events: shadow.events, position: shadow.reached, comparisons };
}

/** The live tables' position, so that both can be compared there. Undefined (the end of the log) when the live tables are empty. */
async function goal({ pool, projections }: RebuildOptions): Promise<Position | undefined> {
  const names = projections.map(({ name }) => name);
  return startAfter(latest([...(await readCheckpoints(pool, names)).values()]));
}

async function progressTo({ eventStore, onProgress }: RebuildOptions) {
  const head = await eventStore.head();
  return (reached: Position, events: number) => onProgress?.({ events, share: shareOf(reached, head) });
}
