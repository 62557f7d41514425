// The position up to which each projection has applied the log. A checkpoint's row is locked while a batch is written, so that a second
// projector or a rebuild's swap waits and then reads the new position.
import type { Pool, PoolClient } from "pg";
import { beginning, type EventBatch, type Position } from "../../ports/eventStore.js";
import { type Landmark, landmarkIn, logIdIn } from "./landmark.js";

export interface Checkpoint extends Position {
  /** The last applied event of a stream that is never deleted. Undefined for a checkpoint that an older version wrote. */
  readonly landmark: Landmark | undefined;
  /** The log that the tables were built from, if it has an id. */
  readonly logId: string | undefined;
}

export type Checkpoints = ReadonlyMap<string, Checkpoint>;

interface Row {
  readonly projection: string;
  readonly commit: string;
  readonly prepare: string;
  readonly logId: string | null;
  readonly landmark: { id: string; stream: string; revision: string; commit: string; prepare: string } | null;
}

const columns = `projection, commit, prepare, log_id as "logId", case when event_id is not null then json_build_object('id', event_id,
  'stream', event_stream, 'revision', event_revision::text, 'commit', event_commit::text, 'prepare', event_prepare::text) end as landmark`;

function checkpointOf({ commit, prepare, logId, landmark }: Row): Checkpoint {
  return {
    commit: BigInt(commit),
    prepare: BigInt(prepare),
    logId: logId ?? undefined,
    landmark: landmark
      ? {
          id: landmark.id,
          stream: landmark.stream,
          revision: BigInt(landmark.revision),
          position: { commit: BigInt(landmark.commit), prepare: BigInt(landmark.prepare) },
        }
      : undefined,
  };
}

/** Locks in the order of names, so that two writers cannot deadlock. */
export async function lockCheckpoints(client: PoolClient, names: readonly string[]): Promise<Checkpoints> {
  const sorted = [...names].sort();
  const locked = await select(client, sorted);
  if (locked.size === sorted.length) return locked;
  await client.query(
    `insert into checkpoints (projection, commit, prepare, updated_at)
     select name, -1, -1, now() from unnest($1::text[]) as name order by name on conflict do nothing`,
    [sorted],
  );
  return select(client, sorted);
}

async function select(client: PoolClient, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await client.query<Row>(
    `select ${columns} from checkpoints where projection = any($1::text[]) order by projection for update`,
    [names],
  );
  return new Map(rows.map((row) => [row.projection, checkpointOf(row)]));
}

/** With `caughtUp` it also sets updated_at: everything recorded until that time is in the tables. */
export async function saveCheckpoints(client: PoolClient, names: readonly string[], batch: EventBatch): Promise<void> {
  const { position, caughtUp, events } = batch;
  await client.query(
    `update checkpoints
        set commit = $2, prepare = $3, updated_at = case when $4 then now() else updated_at end, log_id = coalesce($5, log_id),
            event_id = coalesce($6, event_id), event_stream = coalesce($7, event_stream), event_revision = coalesce($8, event_revision),
            event_commit = coalesce($9, event_commit), event_prepare = coalesce($10, event_prepare)
      where projection = any($1::text[]) and (commit, prepare) <= ($2::bigint, $3::bigint)`,
    [names, ...valuesOf(position), caughtUp, logIdIn(events), ...landmarkValues(landmarkIn(events))],
  );
}

const valuesOf = ({ commit, prepare }: Position) => [String(commit), String(prepare)];

function landmarkValues(landmark: Landmark | undefined): (string | null)[] {
  if (!landmark) return [null, null, null, null, null];
  return [landmark.id, landmark.stream, String(landmark.revision), ...valuesOf(landmark.position)];
}

/** Without a lock, to know where to begin to read. A projection without a checkpoint starts at the beginning of the log. */
export async function readCheckpoints(pool: Pool, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await pool.query<Row>(`select ${columns} from checkpoints where projection = any($1::text[])`, [names]);
  const found = new Map(rows.map((row) => [row.projection, checkpointOf(row)]));
  return new Map(names.map((name) => [name, found.get(name) ?? { ...beginning, landmark: undefined, logId: undefined }]));
}

/** The log has nothing new, so projections at its end are up to date as of now. */
export async function touchCheckpoints(pool: Pool, names: readonly string[], position: Position): Promise<void> {
  await pool.query(
    "update checkpoints set updated_at = now() where projection = any($1::text[]) and (commit, prepare) >= ($2::bigint, $3::bigint)",
    [names, String(position.commit), String(position.prepare)],
  );
}

/** Sets the checkpoints of rebuilt tables, whatever they were before. */
export async function placeCheckpoints(client: PoolClient, names: readonly string[], place: Checkpoint): Promise<void> {
  await client.query(
    `update checkpoints set commit = $2, prepare = $3, log_id = $4, event_id = $5, event_stream = $6, event_revision = $7,
            event_commit = $8, event_prepare = $9
      where projection = any($1::text[])`,
    [names, ...valuesOf(place), place.logId, ...landmarkValues(place.landmark)],
  );
}

/** A position that no log reaches: marks tables as another log's, so that nothing is added to them until a rebuild sets their checkpoints. */
const nowhere: Position = { commit: 2n ** 63n - 1n, prepare: 2n ** 63n - 1n };

export const isDisowned = ({ commit }: Position): boolean => commit === nowhere.commit;

/** Marks the tables as another log's, unless a rebuild has replaced them since `checkpoints` were read. */
export async function disownTables(pool: Pool, checkpoints: Checkpoints): Promise<void> {
  for (const [name, place] of checkpoints) {
    await pool.query("update checkpoints set commit = $4, prepare = $5 where projection = $1 and commit = $2 and prepare = $3", [
      name,
      ...valuesOf(place),
      ...valuesOf(nowhere),
    ]);
  }
}
