// The queue of an organisation's imports. A push reserves a place before it appends ImportRequested, and the worker frees it when the import
// ends, so that the limit is exact however many processes push at once.
import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import type { ImportRequested } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { channels } from "../../ports/notices.js";
import { deadlineIn } from "../deadline.js";
import { importOfKey } from "./importStream.js";

export interface Pushed extends Pick<ImportRequested, "importId" | "organisationId" | "kind" | "corrects"> {
  readonly file: Pick<ImportRequested["file"], "sha256">;
}

/** Reserving again for the same import takes no second place. */
export async function reservePlace(pool: Pool, pushed: Pushed, depth: number): Promise<void> {
  const { organisationId, importId, kind } = pushed;
  const { rows } = await pool.query<{ reserved: boolean }>("select reserve_import_place($1, $2, $3, $4, $5) as reserved", [
    organisationId,
    importId,
    depth,
    kind,
    comparedHash(pushed),
  ]);
  if (!rows[0]?.reserved) throw queueIsFull(depth);
}

/** The hash by which another push finds the same file. Corrections are not compared. */
const comparedHash = ({ corrects, file }: Pushed): string | null => (corrects ? null : file.sha256);

export const queueIsFull = (depth: number) =>
  new Rejection("queueFull", `Too many imports are already queued (at most ${depth}). Wait for one to finish and send this again`);

/** A check before the body of a push is read. Another push may take the last place after it; only reserving a place is exact. */
export async function isQueueFull(pool: Pool, organisationId: string, depth: number): Promise<boolean> {
  const { rows } = await pool.query<{ full: boolean }>("select count(*) >= $2 as full from import_queue where organisation_id = $1", [
    organisationId,
    depth,
  ]);
  return rows[0]?.full === true;
}

/** How many more imports the organisation may queue at this moment. */
export async function freePlaces(pool: Pool, organisationId: string, depth: number): Promise<number> {
  const { rows } = await pool.query<{ free: number }>(
    "select greatest(0, $2 - count(*)::int) as free from import_queue where organisation_id = $1",
    [organisationId, depth],
  );
  return rows[0]?.free ?? 0;
}

export async function hasPlace(pool: Pool, importId: string): Promise<boolean> {
  const { rowCount } = await pool.query("select from import_queue where import_id = $1", [importId]);
  return rowCount === 1;
}

/** The ids of the organisation's queued imports, oldest first; those that are not confirmed yet come last. */
export async function queuedImports(pool: Pool, organisationId: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select import_id as "importId" from import_queue where organisation_id = $1 order by position nulls last limit $2`,
    [organisationId, most],
  );
  return rows.map(({ importId }) => importId);
}

/** The import is in its stream: from now on a worker may take it. */
export async function confirmPlace(pool: Pool, importId: string, position: bigint): Promise<void> {
  await pool.query(
    `with confirmed as (update import_queue set position = $2 where import_id = $1 and position is null returning 1)
     select pg_notify('${channels.importQueued}', '') from confirmed`,
    [importId, position],
  );
}

interface PlaceInLog {
  readonly importId: string;
  readonly organisationId: string;
  /** Commit position of ImportRequested. */
  readonly position: bigint;
}

/** Gives an import that is in the log, and has no confirmed place, the place of its position. */
export async function restorePlace(pool: Pool, pushed: Pushed, { position, started }: { position: bigint; started: boolean }) {
  const { importId, organisationId, kind } = pushed;
  await pool.query(
    `with restored as (
       insert into import_queue (import_id, organisation_id, position, started, kind, file_sha256) values ($1, $2, $3, $4, $5, $6)
       on conflict (import_id) do update set position = excluded.position where import_queue.position is null returning 1
     ) select pg_notify('${channels.importQueued}', '') from restored`,
    [importId, organisationId, position, started, kind, comparedHash(pushed)],
  );
}

/** The import has ended in its stream. Until the imports table shows that, queries read it from ended_imports. */
export async function freePlace(pool: Pool, { importId, organisationId, position }: PlaceInLog): Promise<void> {
  await pool.query(
    `with freed as (delete from import_queue where import_id = $1 returning kind, file_sha256)
     insert into ended_imports (import_id, organisation_id, position, kind, file_sha256)
     values ($1, $2, $3, (select kind from freed), (select file_sha256 from freed)) on conflict do nothing`,
    [importId, organisationId, position],
  );
}

/** Marks the import's place and tells its worker, so that it stops. Returns the import's progress. */
export async function requestCancel(pool: Pool, importId: string): Promise<number> {
  const { rows } = await pool.query<{ progress: number }>(
    `with marked as (update import_queue set cancel_requested = true where import_id = $1 returning import_id, progress)
     select progress, pg_notify('${channels.importCancelled}', import_id::text) from marked`,
    [importId],
  );
  return rows[0]?.progress ?? 0;
}

/** Marks a place so that a worker that finds the import in the log cancels it. */
export async function withdrawPlace(pool: Pool, importId: string): Promise<void> {
  await pool.query("update import_queue set cancel_requested = true where import_id = $1 and position is null", [importId]);
}

export async function releasePlace(pool: Pool, importId: string): Promise<void> {
  await pool.query("delete from import_queue where import_id = $1 and position is null", [importId]);
}

interface Push {
  readonly organisationId: string;
  readonly idempotencyKey: string | undefined;
  readonly now: Date;
  readonly withinMs: number;
}

/**
 * Rejects a push to a full queue before its body is read or stored. A repetition with the same Idempotency-Key passes, since it takes no
 * place: it gets the first push's answer.
 */
export async function rejectWhenFull(
  { pool, eventStore, maxQueuedImports }: { pool: Pool; eventStore: EventStore; maxQueuedImports: number },
  { organisationId, idempotencyKey, now, withinMs }: Push,
): Promise<void> {
  const deadline = deadlineIn(withinMs);
  if (!(await deadline.within("database", isQueueFull(pool, organisationId, maxQueuedImports)))) return;
  if (idempotencyKey === undefined) throw queueIsFull(maxQueuedImports);
  const { importId, earlier } = await deadline.within("event store", importOfKey(eventStore, { organisationId, idempotencyKey, now }));
  if (earlier || (await deadline.within("database", hasPlace(pool, importId)))) return;
  throw queueIsFull(maxQueuedImports);
}
