// The position up to which each projection has applied the event log. A checkpoint's row is locked while a batch is written, so that a
// second projector or the swap of a rebuild waits and then reads the new position.
import type { Pool, PoolClient } from "pg";
import { decode } from "../../events/codec.js";
import { logStream } from "../../events/streams.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type EventBatch, isAfter, logStart, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { allProjections, permanentPrefixes } from "../allProjections.js";

/** An applied event, by which a starting projector recognises the event log. A position alone exists in other event logs too. */
export type AppliedEvent = Pick<StoredEvent, "id" | "stream" | "revision" | "position">;

export const isPermanent = ({ stream }: StoredEvent): boolean => permanentPrefixes.some((prefix) => stream.startsWith(prefix));

/** The last event of a stream that is never deleted. */
export const lastPermanentIn = (events: readonly StoredEvent[]): AppliedEvent | undefined => events.findLast(isPermanent);

/** The event log's id, if LogCreated is among the events. */
export function logIdIn(events: readonly StoredEvent[]): string | undefined {
  const stored = events.find(({ stream, type }) => stream === logStream && type === "LogCreated");
  const event = stored && decode(stored);
  return event?.type === "LogCreated" ? event.data.logId : undefined;
}

export interface Checkpoint extends Position {
  /** The last applied event of a stream that is never deleted. Undefined for a checkpoint that an older version wrote. */
  readonly lastEvent: AppliedEvent | undefined;
  /** The event log that the tables were built from, if it has an id. */
  readonly logId: string | undefined;
  /** The shape of the tables (projection.ts). */
  readonly shape: number;
}

export type Checkpoints = ReadonlyMap<string, Checkpoint>;

interface CheckpointRow {
  readonly projection: string;
  readonly commit: string;
  readonly prepare: string;
  readonly logId: string | null;
  readonly shape: number;
  readonly lastEvent: { id: string; stream: string; revision: string; commit: string; prepare: string } | null;
}

const columns = `projection, commit, prepare, shape, log_id as "logId", case when event_id is not null then json_build_object('id', event_id,
  'stream', event_stream, 'revision', event_revision::text, 'commit', event_commit::text, 'prepare', event_prepare::text) end as "lastEvent"`;

const checkpointOf = ({ commit, prepare, shape, logId, lastEvent }: CheckpointRow): Checkpoint => ({
  commit: BigInt(commit),
  prepare: BigInt(prepare),
  shape,
  logId: logId ?? undefined,
  lastEvent: lastEvent
    ? {
        ...lastEvent,
        revision: BigInt(lastEvent.revision),
        position: { commit: BigInt(lastEvent.commit), prepare: BigInt(lastEvent.prepare) },
      }
    : undefined,
});

/** The shape of the tables that this version of the service writes. */
const currentShape = (name: string): number => allProjections.find((projection) => projection.name === name)?.shape ?? 1;

/** Whether an earlier version of the service left the projection's tables empty, or stored less in them. */
export function isOutdated(name: string, checkpoints: Checkpoints): boolean {
  const checkpoint = checkpoints.get(name);
  if (!checkpoint) return false;
  return checkpoint.shape < currentShape(name) || (isBeginning(checkpoint) && !isBeginning(latestPosition([...checkpoints.values()])));
}

/** Locks the checkpoints in the order of their names, so that two writers cannot deadlock. Creates missing ones. */
export const lockCheckpoints = (client: PoolClient, names: readonly string[]): Promise<Checkpoints> => lockAndRead(client, names, "", {});

/** Locks the checkpoints and moves those before the batch's end to it. Returns the checkpoints as they were. */
export const moveCheckpoints = (client: PoolClient, names: readonly string[], batch: EventBatch): Promise<Checkpoints> =>
  lockAndRead(client, names, `, moved as (${moveCheckpointsSql})`, moveCheckpointsValues(batch));

async function lockAndRead(client: PoolClient, names: readonly string[], moreSql: string, values: object): Promise<Checkpoints> {
  const sorted = [...names].sort();
  const lockRows = async () => {
    const { rows } = await client.query<CheckpointRow>(
      bindNames(
        `/* prepared */ with before as (select ${columns} from checkpoints where projection = any(:names::text[]) order by projection for update)${moreSql} select * from before`,
        { names: sorted, ...values },
      ),
    );
    return new Map(rows.map((row) => [row.projection, checkpointOf(row)]));
  };
  const found = await lockRows();
  if (found.size === sorted.length) return found;
  await createCheckpoints(client, sorted);
  return new Map([...(await lockRows()), ...found]); // `found` has the checkpoints from before `moreSql` moved them
}

/** Creates missing checkpoints at the beginning of the event log. */
export const createCheckpoints = (database: Pick<PoolClient, "query">, names: readonly string[]) =>
  database.query(
    `insert into checkpoints (projection, commit, prepare, shape, updated_at)
     select name, -1, -1, shape, now() from unnest($1::text[], $2::integer[]) as missing (name, shape) order by name on conflict do nothing`,
    [names, names.map(currentShape)],
  );

/** SQL that moves the checkpoints `:names`, with the values of `moveCheckpointsValues`. With `caughtUp`, it also sets `updated_at`. */
export const moveCheckpointsSql = `
  update checkpoints
     set commit = :commit, prepare = :prepare, updated_at = case when :caughtUp then now() else updated_at end, log_id = coalesce(:logId, log_id),
         event_id = coalesce(:eventId, event_id), event_stream = coalesce(:eventStream, event_stream),
         event_revision = coalesce(:eventRevision, event_revision), event_commit = coalesce(:eventCommit, event_commit),
         event_prepare = coalesce(:eventPrepare, event_prepare)
   where projection = any(:names::text[]) and (commit, prepare) <= (:commit::bigint, :prepare::bigint)`;

export const moveCheckpointsValues = ({ position, caughtUp, events }: EventBatch) => ({
  commit: String(position.commit),
  prepare: String(position.prepare),
  caughtUp,
  logId: logIdIn(events),
  ...eventValues(lastPermanentIn(events)),
});

const positionValues = ({ commit, prepare }: Position) => [String(commit), String(prepare)];

const eventValues = (lastEvent: AppliedEvent | undefined) => ({
  eventId: lastEvent?.id ?? null,
  eventStream: lastEvent?.stream ?? null,
  eventRevision: lastEvent?.revision.toString() ?? null,
  eventCommit: lastEvent?.position.commit.toString() ?? null,
  eventPrepare: lastEvent?.position.prepare.toString() ?? null,
});

/** Reads the checkpoints without a lock. A projection without a checkpoint starts at the beginning of the event log. */
export async function readCheckpoints(pool: Database, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await pool.query<CheckpointRow>(`select ${columns} from checkpoints where projection = any($1::text[])`, [names]);
  const found = new Map(rows.map((row) => [row.projection, checkpointOf(row)]));
  return new Map(
    names.map((name) => [name, found.get(name) ?? { ...logStart, shape: currentShape(name), lastEvent: undefined, logId: undefined }]),
  );
}

export const readAllCheckpoints = (pool: Pool): Promise<Checkpoints> =>
  readCheckpoints(
    pool,
    allProjections.map(({ name }) => name),
  );

/** Records that projections at `position`, the event log's end, are up to date now. False if one is before it: its tables were restored. */
export async function touchCheckpoints(pool: Pool, names: readonly string[], position: Position): Promise<boolean> {
  const { rowCount } = await pool.query(
    "update checkpoints set updated_at = now() where projection = any($1::text[]) and (commit, prepare) >= ($2::bigint, $3::bigint)",
    [names, ...positionValues(position)],
  );
  return rowCount === names.length;
}

/** Sets the checkpoints of rebuilt tables, whatever the earlier ones were. */
export async function setCheckpoints(client: PoolClient, names: readonly string[], checkpoint: Omit<Checkpoint, "shape">): Promise<void> {
  await client.query(
    bindNames(
      `update checkpoints set commit = :commit, prepare = :prepare, log_id = :logId, event_id = :eventId, event_stream = :eventStream,
              event_revision = :eventRevision, event_commit = :eventCommit, event_prepare = :eventPrepare, shape = built.shape
         from unnest(:names::text[], :shapes::integer[]) as built (projection, shape) where checkpoints.projection = built.projection`,
      {
        names,
        shapes: names.map(currentShape),
        commit: String(checkpoint.commit),
        prepare: String(checkpoint.prepare),
        logId: checkpoint.logId,
        ...eventValues(checkpoint.lastEvent),
      },
    ),
  );
}

/** A position that no event log reaches. It marks tables as built from another event log: nothing is added to them before a rebuild. */
const disownedPosition: Position = { commit: 2n ** 63n - 1n, prepare: 2n ** 63n - 1n };

export const isDisowned = ({ commit }: Position): boolean => commit === disownedPosition.commit;

/** Marks the tables as another event log's, except those that a rebuild has replaced after `checkpoints` were read. */
export async function disownTables(pool: Pool, checkpoints: Checkpoints): Promise<void> {
  for (const [name, checkpoint] of checkpoints) {
    await pool.query("update checkpoints set commit = $4, prepare = $5 where projection = $1 and commit = $2 and prepare = $3", [
      name,
      ...positionValues(checkpoint),
      ...positionValues(disownedPosition),
    ]);
  }
}

export const isSamePosition = (position: Position | undefined, other: Position): boolean =>
  position?.commit === other.commit && position.prepare === other.prepare;

export const isBeginning = (position: Position): boolean => position.commit < 0n;

/** The position after which to start reading; undefined to start at the beginning of the event log. */
export const startAfter = (position: Position): Position | undefined => (isBeginning(position) ? undefined : position);

export const earliestPosition = (positions: readonly Position[]): Position =>
  positions.reduce((earliest, each) => (isAfter(earliest, each) ? each : earliest), positions[0] ?? logStart);

export const latestPosition = (positions: readonly Position[]): Position =>
  positions.reduce((latest, each) => (isAfter(each, latest) ? each : latest), positions[0] ?? logStart);
