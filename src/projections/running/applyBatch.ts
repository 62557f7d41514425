// One batch, one transaction: every projection's rows and its checkpoint, or nothing.

import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { EventBatch, Position, StoredEvent } from "../../ports.js";
import { addFacts, type KnownImports } from "../models/importFacts.js";
import type { ApplyOptions, Projection } from "../projection.js";
import { type Refuse, sortBatch } from "../sortedBatch.js";
import { TablesOfAnotherLog } from "./anotherLog.js";
import { type Checkpoint, lockCheckpoints, saveCheckpoints } from "./checkpoints.js";
import { isLandmark } from "./landmark.js";
import { beginning, isAfter } from "./position.js";

export interface BatchContext {
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  readonly knownImports: KnownImports;
  readonly logger: Logger;
  /** Where the tables are; the connection's own search path when not given. */
  readonly schema?: string;
}

/** Thrown when the tables are not as far as the batch assumes: after a restored backup, or a crash that took the last commits along. */
export class CheckpointMovedBack extends Error {
  override readonly name = "CheckpointMovedBack";
}

/**
 * Events at or before a projection's checkpoint are skipped, so a batch may be delivered any number of times.
 * `after` is where the batch begins: a projection that stands before it would miss events.
 */
export async function applyBatch(context: BatchContext, batch: EventBatch, after: Position = beginning): Promise<void> {
  const apply = (options: { keepExisting: boolean }) =>
    inTransaction(context, (client) => applyInTransaction(client, context, batch, { ...options, after }));
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
  const refuse: Refuse = ({ stream, revision }, why) => logger.error({ stream, revision: String(revision), why }, "event skipped");
  const checkpoints = await lockCheckpoints(client, names);
  for (const [name, at] of checkpoints) {
    if (isAfter(after, at)) throw new CheckpointMovedBack(`projection ${name} stands at ${at.commit}, before ${after.commit}`);
    refuseUnseen(name, at, batch.events);
  }
  for (const [from, group] of groupByCheckpoint(projections, checkpoints)) {
    const fresh = afterPosition(batch.events, from);
    if (fresh.length === 0) continue;
    const sorted = sortBatch(fresh, refuse);
    for (const { importId } of await addFacts(client, sorted, context.knownImports)) {
      logger.error({ importId }, "rows of an unknown import skipped: run `projections rebuild`");
    }
    for (const projection of group) await projection.apply(client, sorted, { keepExisting, refuse });
  }
  await saveCheckpoints(client, names, batch);
}

/** Everything up to its checkpoint has passed a projection, and its landmark was the last of it: the log has changed where there is more. */
function refuseUnseen(name: string, { landmark, ...place }: Checkpoint, events: readonly StoredEvent[]): void {
  if (!landmark) return;
  const next = events.find((event) => isAfter(event.position, landmark.position) && isLandmark(event));
  if (!next || isAfter(next.position, place)) return;
  const where = `event ${next.id} at position ${next.position.commit}`;
  throw new TablesOfAnotherLog(`${where} was never seen by projection ${name}, which stands at ${place.commit}`, true);
}

/** Usually one group: projections stand apart only after one was added. */
function groupByCheckpoint(projections: readonly Projection[], checkpoints: ReadonlyMap<string, Position>): Map<Position, Projection[]> {
  const groups = new Map<string, { from: Position; group: Projection[] }>();
  for (const projection of projections) {
    const from = checkpoints.get(projection.name) ?? beginning;
    const key = `${from.commit}/${from.prepare}`;
    const known = groups.get(key);
    if (known) known.group.push(projection);
    else groups.set(key, { from, group: [projection] });
  }
  return new Map([...groups.values()].map(({ from, group }) => [from, group]));
}

function afterPosition(events: readonly StoredEvent[], from: Position): readonly StoredEvent[] {
  const first = events.findIndex((event) => isAfter(event.position, from));
  if (first === 0) return events;
  return first < 0 ? [] : events.slice(first);
}

async function inTransaction(context: BatchContext, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await context.pool.connect();
  let broken: Error | undefined;
  try {
    const searchPath = context.schema ? `; set local search_path to ${context.schema}, public` : "";
    await client.query(`begin; set local statement_timeout = 0${searchPath}`);
    await work(client);
    await client.query("commit");
  } catch (error) {
    broken = await client.query("rollback").then(
      () => undefined,
      (failure: Error) => failure,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}

export const isDuplicate = (error: unknown): boolean => (error as { code?: string } | undefined)?.code === "23505";
