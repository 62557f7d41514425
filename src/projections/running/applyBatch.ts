// Applies a batch in one transaction: the rows of all projections and their checkpoints, or nothing.
import type { PoolClient } from "pg";
import { type EventBatch, isAfter, logStart, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { addFacts, type KnownImports } from "../models/importFacts.js";
import type { ApplyOptions, Projection, ProjectionDeps } from "../projection.js";
import { type SkipEvent, type SortedBatch, sortBatch } from "../sortedBatch.js";
import { type Checkpoint, isPermanent, moveCheckpoints } from "./checkpoints.js";
import { TablesOfAnotherLog } from "./logGuard.js";

/** Many, since a batch costs far more than a single event in it. */
export const eventsPerBatch = 2_000;

export interface BatchContext extends Pick<ProjectionDeps, "pool" | "logger"> {
  readonly projections: readonly Projection[];
  readonly knownImports: KnownImports;
}

/** A checkpoint lies before the beginning of the batch: the database was restored, or lost its last commits in a crash. */
export class CheckpointMovedBack extends Error {
  override readonly name = "CheckpointMovedBack";
}

/**
 * Skips events up to a projection's checkpoint, so a batch may be delivered any number of times.
 * `after` is the position before the batch. Throws if a projection's checkpoint is earlier, since the projection would miss events.
 */
export async function applyBatch(context: BatchContext, batch: EventBatch, after: Position = logStart): Promise<void> {
  const apply = (options: { keepExisting: boolean }) =>
    inPooledTransaction(context, (client) => applyInTransaction(client, context, batch, { ...options, after }));
  try {
    await apply({ keepExisting: false });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    context.logger.error({ err: error }, "a row is recorded twice in a stream; the first one stays: run `audit verify`");
    await apply({ keepExisting: true });
  }
}

export async function applyInTransaction(
  client: PoolClient,
  context: Omit<BatchContext, "pool">,
  batch: EventBatch,
  { keepExisting, after }: Pick<ApplyOptions, "keepExisting"> & { readonly after: Position },
): Promise<void> {
  const { projections, logger } = context;
  const names = projections.map(({ name }) => name);
  const skip: SkipEvent = ({ stream, revision }, why) => logger.error({ stream, revision: String(revision), why }, "event skipped");
  const checkpoints = await moveCheckpoints(client, names, batch);
  for (const [name, position] of checkpoints) {
    if (isAfter(after, position)) throw new CheckpointMovedBack(`projection ${name} stands at ${position.commit}, before ${after.commit}`);
    throwIfUnseen(name, position, batch.events);
  }
  const unappliedByCheckpoint = new Map<string, SortedBatch>(); // usually one entry: checkpoints differ only after a rebuild
  for (const projection of projections) {
    const from = checkpoints.get(projection.name) ?? logStart;
    const key = `${from.commit}/${from.prepare}`;
    const sorted = unappliedByCheckpoint.get(key) ?? sortBatch(afterPosition(batch.events, from), skip);
    if (!unappliedByCheckpoint.has(key)) {
      unappliedByCheckpoint.set(key, sorted);
      for (const { importId } of await addFacts(client, sorted, context.knownImports))
        logger.error({ importId }, "rows of an unknown import skipped: run `projections rebuild`");
    }
    if (sorted.events.length > 0) await projection.apply(client, sorted, { keepExisting, skip });
  }
}

/**
 * Throws if an event of a permanent stream lies between a projection's `lastEvent` and its checkpoint. The projection has seen all events
 * up to its checkpoint, so one that it has not seen means that the tables were built from another event log.
 */
export function throwIfUnseen(name: string, { lastEvent, ...checkpoint }: Checkpoint, events: readonly StoredEvent[]): void {
  if (!lastEvent) return;
  const next = events.find((event) => isAfter(event.position, lastEvent.position) && isPermanent(event));
  if (!next || isAfter(next.position, checkpoint)) return;
  const where = `event ${next.id} at position ${next.position.commit}`;
  throw new TablesOfAnotherLog(`${where} was never seen by projection ${name}, which stands at ${checkpoint.commit}`, true);
}

function afterPosition(events: readonly StoredEvent[], from: Position): readonly StoredEvent[] {
  const first = events.findIndex((event) => isAfter(event.position, from));
  if (first === 0) return events;
  return first < 0 ? [] : events.slice(first);
}

async function inPooledTransaction({ pool }: BatchContext, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  try {
    await client.query("begin; set local statement_timeout = 0");
    await work(client);
    await client.query("commit");
  } catch (error) {
    connectionError = await client.query("rollback").then(
      () => undefined,
      (failure: Error) => failure,
    );
    throw error;
  } finally {
    client.release(connectionError);
  }
}

export const isDuplicate = (error: unknown): boolean => (error as { code?: string } | undefined)?.code === "23505";
