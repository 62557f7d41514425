// Fills shadow tables from the event log while the service runs, and lets the caller work with them.
import { fractionOfLog, logStart, type StoredEvent } from "../../ports/eventStore.js";
import type { Projection, ProjectionDeps } from "../projection.js";
import { latestPosition, readCheckpoints, startAfter } from "../running/checkpoints.js";
import { tryLock } from "../running/locks.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { createShadow, dropShadow, type ShadowPurpose } from "./shadowSchema.js";

export interface ShadowOptions extends ProjectionDeps {
  /** The SQL statements that create the tables. Without them the shadow tables get the columns and indexes of the live ones. */
  readonly migrations?: readonly string[] | undefined;
  readonly projections: readonly Projection[];
  /** Selects the events to apply; all by default. */
  readonly isWanted?: ((event: StoredEvent) => boolean) | undefined;
  readonly onProgress?: ((progress: { events: number; fraction: number }) => void) | undefined;
}

/** For `work`, the shadow tables are at the live tables' position or a little before it. They are dropped when `work` has ended. */
export async function withShadow<Result>(
  purpose: ShadowPurpose,
  options: ShadowOptions,
  work: (shadow: Shadow) => Promise<Result>,
): Promise<Result> {
  const lockHolder = await options.pool.connect();
  try {
    if (!(await tryLock(lockHolder, purpose))) throw new Error(`another ${purpose} is running; wait for it to end`);
    return await fillShadow(purpose, options, work);
  } finally {
    // Ends the transaction that holds the lock: the server notices a closed connection only a moment later.
    await lockHolder.query("rollback").catch(() => undefined);
    lockHolder.release(true);
  }
}

async function fillShadow<Result>(
  purpose: ShadowPurpose,
  options: ShadowOptions,
  work: (shadow: Shadow) => Promise<Result>,
): Promise<Result> {
  const { pool, signal } = options;
  const client = await pool.connect();
  let connectionError: Error | undefined;
  let cancellation: Promise<unknown> | undefined;
  let pid: number | undefined;
  // A rebuild is not cancelled, since its caller is told whether the swap was committed.
  const cancel = () => {
    cancellation = purpose === "audit" ? pool.query("select pg_cancel_backend($1)", [pid]).catch(() => undefined) : undefined;
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
    signal.throwIfAborted();
    const tables = options.projections.flatMap((each) => each.tables);
    const schema = await createShadow(client, purpose, options.migrations, tables);
    const { projections, eventStore, logger, isWanted } = options;
    const start = { position: logStart, readPosition: logStart, eventCount: 0, lastEvent: undefined, logId: undefined };
    const shadow: Shadow = { ...schema, ...start, client, projections, isWanted, knownImports: new Map(), eventStore, logger };
    try {
      await followLiveTables(shadow, options);
      return await work(shadow);
    } finally {
      await cancellation;
      await dropShadow(client, schema).catch((error: Error) => {
        connectionError = error;
        options.logger.warn({ err: error }, `the schema of the ${purpose} could not be dropped; the next ${purpose} drops it`);
      });
    }
  } catch (error) {
    connectionError ??= error as Error;
    throw cancellation === undefined ? error : signal.reason;
  } finally {
    signal.removeEventListener("abort", cancel);
    client.release(connectionError);
  }
}

const maxRounds = 5;
const fewEvents = 5_000;

/** Fills the shadow tables up to the live tables' position, where both can be compared, or to the event log's end if those are empty. */
async function followLiveTables(shadow: Shadow, { pool, eventStore, projections, signal, onProgress }: ShadowOptions): Promise<void> {
  const names = projections.map(({ name }) => name);
  for (let round = 1; round <= maxRounds; round += 1) {
    const before = shadow.eventCount;
    const until = startAfter(latestPosition([...(await readCheckpoints(pool, names)).values()]));
    const head = await eventStore.head();
    await catchUp(shadow, { until, signal, onProgress: (upTo, events) => onProgress?.({ events, fraction: fractionOfLog(upTo, head) }) });
    if (shadow.eventCount - before < fewEvents) return;
  }
}
