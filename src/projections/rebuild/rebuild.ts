// Builds projections anew from the log, beside the live tables and while the service runs, and then replaces the live tables in one
// transaction.
import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import { beginning, type EventStore, type Position } from "../../ports/eventStore.js";
import { allProjections } from "../allProjections.js";
import type { Projection } from "../projection.js";
import { readCheckpoints } from "../running/checkpoints.js";
import { tryHold } from "../running/heldLock.js";
import { isBeginning, latest } from "../running/position.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { createShadow, dropShadow } from "./shadowSchema.js";
import { type Comparison, swap } from "./swap.js";

export interface RebuildOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
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

const lock = 7_241_003; // any number that no other advisory lock of this database uses
const rounds = 5;
const fewEvents = 5_000;

export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const holder = await options.pool.connect();
  try {
    if (!(await tryHold(holder, lock))) throw new Error("another rebuild is running; wait for it to end");
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
  const start = { reached: beginning, readUpTo: beginning, events: 0, landmark: undefined, logId: undefined };
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
  const standing = latest([...(await readCheckpoints(pool, names)).values()]);
  return isBeginning(standing) ? undefined : standing;
}

/** Positions grow with the log's bytes, so the share of the head's position is the share that is done. */
async function progressTo({ eventStore, onProgress }: RebuildOptions) {
  const head = await eventStore.head();
  return ({ commit }: Position, events: number) => {
    const share = head && head.commit > 0n ? Math.min(1, Number(commit) / Number(head.commit)) : 1;
    onProgress?.({ events, share });
  };
}
