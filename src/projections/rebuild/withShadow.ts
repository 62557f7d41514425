// Fills projections anew from the event log, in a schema of their own and while the service runs, and lets the caller do something with them.
import { beginning, type StoredEvent, shareOf } from "../../ports/eventStore.js";
import type { Projection, ProjectionDeps } from "../projection.js";
import { latest, readCheckpoints, startAfter } from "../running/checkpoints.js";
import { tryLock } from "../running/locks.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { createShadow, dropShadow, type ShadowPurpose } from "./shadowSchema.js";

export interface ShadowOptions extends ProjectionDeps {
  /** The SQL statements that create the tables. Without them the tables are as the live ones. */
  readonly migrations?: readonly string[] | undefined;
  readonly projections: readonly Projection[];
  /** Other events are left out. */
  readonly isWanted?: ((event: StoredEvent) => boolean) | undefined;
  readonly onProgress?: ((progress: { events: number; share: number }) => void) | undefined;
}

/** The shadow tables stand at the live tables' position, or a little before it. They are dropped when the work has ended. */
export async function withShadow<Result>(
  purpose: ShadowPurpose,
  options: ShadowOptions,
  work: (shadow: Shadow) => Promise<Result>,
): Promise<Result> {
  const holder = await options.pool.connect();
  try {
    if (!(await tryLock(holder, purpose))) throw new Error(`another ${purpose} is running; wait for it to end`);
    return await whileHeld(purpose, options, work);
  } finally {
    // Ends the transaction that holds the lock: the server notices a closed connection only a moment later.
    await holder.query("rollback").catch(() => undefined);
    holder.release(true);
  }
}

async function whileHeld<Result>(
  purpose: ShadowPurpose,
  options: ShadowOptions,
  work: (shadow: Shadow) => Promise<Result>,
): Promise<Result> {
  const { pool, signal } = options;
  const client = await pool.connect();
  let broken: Error | undefined;
  let cancelled: Promise<unknown> | undefined;
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  // Not of a rebuild: whoever stops it is told whether its swap was committed.
  const cancel = () => {
    cancelled = purpose === "audit" ? pool.query("select pg_cancel_backend($1)", [rows[0]?.pid]).catch(() => undefined) : undefined;
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    const tables = options.projections.flatMap((each) => each.tables);
    const schema = await createShadow(client, purpose, options.migrations, tables);
    const { projections, eventStore, logger, isWanted } = options;
    const start = { reached: beginning, readUpTo: beginning, events: 0, lastEvent: undefined, logId: undefined };
    const shadow: Shadow = { ...schema, ...start, client, projections, isWanted, knownImports: new Map(), eventStore, logger };
    try {
      await followLiveTables(shadow, options);
      return await work(shadow);
    } finally {
      await cancelled;
      await dropShadow(client, schema).catch((error: Error) => {
        broken = error;
        options.logger.warn({ err: error }, `the schema of the ${purpose} could not be dropped; the next ${purpose} drops it`);
      });
    }
  } catch (error) {
    broken ??= error as Error;
    throw cancelled === undefined ? error : signal.reason;
  } finally {
    signal.removeEventListener("abort", cancel);
    client.release(broken);
  }
}

const rounds = 5;
const fewEvents = 5_000;

/** To the live tables' position, so that both can be compared there; to the end of the event log when the live tables are empty. */
async function followLiveTables(shadow: Shadow, { pool, eventStore, projections, signal, onProgress }: ShadowOptions): Promise<void> {
  const names = projections.map(({ name }) => name);
  for (let round = 1; round <= rounds; round += 1) {
    const before = shadow.events;
    const until = startAfter(latest([...(await readCheckpoints(pool, names)).values()]));
    const head = await eventStore.head();
    await catchUp(shadow, { until, signal, onProgress: (reached, events) => onProgress?.({ events, share: shareOf(reached, head) }) });
    if (shadow.events - before < fewEvents) return;
  }
}
