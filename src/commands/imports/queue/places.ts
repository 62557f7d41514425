// The places in the organisations' queues of imports. Every statement that writes them is in this folder. A push reserves a place before it
// appends ImportRequested, and the place is removed when the import ends. So the limit is exact, however many processes push at one moment.
// turns.ts decides which worker runs which import.
import type { Pool, QueryResult } from "pg";
import { Rejection } from "../../../domain/rejection.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { hasRow } from "../../../ports/database.js";
import type { EventStore } from "../../../ports/eventStore.js";
import { channels } from "../../../ports/notices.js";
import { hasEndedSql, insertRequestedSql, noteRecordedEndSql, requestedJson } from "../../../projections/importRow.js";
import { deadlineIn } from "../../deadline.js";
import { importOfKey } from "../importStream.js";

export interface PushedImport extends Pick<ImportRequested, "importId" | "organisationId" | "kind" | "corrects"> {
  readonly file: Pick<ImportRequested["file"], "sha256">;
}

/**
 * Reserving again for the same import takes no second place. Postgres runs the two statements of one request as one transaction, and the
 * second sees every place that was reserved before the first got the lock. Such a request has no parameters, so the values are quoted.
 */
export async function reservePlace(pool: Pool, pushed: PushedImport, maxQueued: number): Promise<void> {
  const [importId, organisation, kind] = [pushed.importId, pushed.organisationId, pushed.kind].map(quoteLiteral);
  const hash = comparedHash(pushed);
  const sha256 = hash === null ? "null" : quoteLiteral(hash);
  const results: unknown = await pool.query(
    `select pg_advisory_xact_lock(hashtextextended('import queue ' || ${organisation}, 0));
     with reserved as (
       insert into import_queue (import_id, organisation_id, reserved_at, kind, file_sha256)
       -- Later than every reserved place. Not now(), which is the time at which this request began to wait for the lock.
       select ${importId}, ${organisation}, greatest(clock_timestamp(), max(reserved_at) + interval '1 millisecond'), ${kind}, ${sha256}
         from import_queue where organisation_id = ${organisation} having count(*) < ${Number(maxQueued)}
       on conflict (import_id) do nothing returning 1
     ) select exists (select from reserved) or exists (select from import_queue where import_id = ${importId}) as reserved`,
  );
  const [, reservation] = results as QueryResult<{ reserved: boolean }>[];
  if (!reservation?.rows[0]?.reserved) throw queueFullRejection(maxQueued);
}

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The hash by which another push finds the same file. Corrections are not compared. */
const comparedHash = ({ corrects, file }: PushedImport): string | null => (corrects ? null : file.sha256);

export const queueFullRejection = (maxQueued: number) =>
  new Rejection("queueFull", `Too many imports are already queued (at most ${maxQueued}). Wait for one to finish and send this again`);

/** How many more imports the organisation may queue at this moment. */
export async function countFreePlaces(organisationId: string, maxQueued: number, pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ free: number }>(
    "/* prepared */ select greatest(0, $2 - count(*)::int) as free from import_queue where organisation_id = $1",
    [organisationId, maxQueued],
  );
  return rows[0]?.free ?? 0;
}

/** The ids of the organisation's queued imports, oldest first. Imports with unconfirmed places come last. */
export async function queuedImports(organisationId: string, maxImports: number, pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select import_id as "importId" from import_queue where organisation_id = $1 order by position nulls last limit $2`,
    [organisationId, maxImports],
  );
  return rows.map(({ importId }) => importId);
}

/**
 * Confirms the place of a recorded import: readers then find the import, and a worker may take it. Also gives a place back to an import
 * that has lost its place, unless the table shows that the import has ended.
 */
export async function confirmPlace(pool: Pool, request: ImportRequested, position: bigint, { started = false } = {}): Promise<void> {
  await pool.query(
    `/* prepared */ with shown as (${insertRequestedSql("$1")}
     ), queued as (
       insert into import_queue (import_id, organisation_id, position, started, kind, file_sha256)
       select "importId", "organisationId", position, $2, kind, $3
         from jsonb_to_recordset($1::jsonb) as requested ("importId" uuid, "organisationId" text, position bigint, kind text)
        where not exists (select from imports i where i.import_id = "importId" and ${hasEndedSql("i")})
       on conflict (import_id) do update set position = excluded.position where import_queue.position is null returning 1
     ) select pg_notify('${channels.importQueued}', '') from queued`,
    [requestedJson([{ data: request, position }]), started, comparedHash(request)],
  );
}

/**
 * Called when the import has ended in its stream. Removes its place and releases the worker's turn, if any, so that the organisation's next
 * import can start. Returns whether the queue has another import, of any organisation. `rows`: the number of rows in the import's stream.
 */
export async function removePlace(
  pool: Pool,
  { importId, rows }: { readonly importId: string; readonly rows: number },
  turn?: { readonly organisationId: string; readonly holder: string },
): Promise<boolean> {
  // Locks the row of organisation_turns before that of import_queue, as the statements of turns.ts do, so that they cannot deadlock.
  const { rows: waiting } = await pool.query<{ more: boolean }>(
    `/* prepared */ with released as (
       update organisation_turns set worker = null, import_id = null, expires_at = null where organisation_id = $3 and worker = $4 returning 1
     ), freed as (
       delete from import_queue where import_id = $1 and (select count(*) from released) >= 0
     ), noted as (${noteRecordedEndSql("$1", "$2")})
     select exists (select from import_queue where position is not null and import_id <> $1) as more`,
    [importId, rows, turn?.organisationId ?? null, turn?.holder ?? null],
  );
  return waiting[0]?.more ?? true;
}

/** Marks the import's place and notifies its worker, which then stops. Returns the import's progress. */
export async function cancelPlace(pool: Pool, importId: string): Promise<number> {
  const { rows } = await pool.query<{ progress: number }>(
    `with marked as (update import_queue set cancel_requested = true where import_id = $1 returning import_id, progress)
     select progress, pg_notify('${channels.importCancelled}', import_id::text) from marked`,
    [importId],
  );
  return rows[0]?.progress ?? 0;
}

/** Marks the place only if it is unconfirmed. A worker then cancels the import if the event log has it, or else removes the place. */
export async function cancelUnconfirmedPlace(pool: Pool, importId: string): Promise<void> {
  await pool.query("update import_queue set cancel_requested = true where import_id = $1 and position is null", [importId]);
}

export async function removeUnconfirmedPlace(pool: Pool, importId: string): Promise<void> {
  await pool.query("delete from import_queue where import_id = $1 and position is null", [importId]);
}

/** After this time the API has answered the push, and has confirmed the place or marked it as cancelled. */
const unconfirmedAfterSeconds = 10;
/** If an import's stream is still empty after this time, its push is never recorded. */
const expiresAfterSeconds = 60;
const withoutPlaceAfterSeconds = 30;
const maxPlacesPerLook = 100;

/** Reserved places that are still not confirmed. `hasExpired`: an import that is not in the event log by now will never be there. */
export async function unconfirmedPlaces(pool: Pool): Promise<{ readonly importId: string; readonly hasExpired: boolean }[]> {
  const { rows } = await pool.query<{ importId: string; hasExpired: boolean }>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $1) as "hasExpired"
       from import_queue where position is null and reserved_at < now() - make_interval(secs => $2) order by reserved_at limit $3`,
    [expiresAfterSeconds, unconfirmedAfterSeconds, maxPlacesPerLook],
  );
  return rows;
}

/** SQL for an import `i` that has not ended and has no place in the queue. */
export const isUnqueuedSql = `not ${hasEndedSql("i")} and not exists (select from import_queue q where q.import_id = i.import_id)`;

export async function importsWithoutPlace(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select i.import_id as "importId" from imports i
      where i.status in ('queued', 'processing') and ${isUnqueuedSql} and i.submitted_at < now() - make_interval(secs => $1)
      order by i.position limit $2`,
    [withoutPlaceAfterSeconds, maxPlacesPerLook],
  );
  return rows.map(({ importId }) => importId);
}

/**
 * Pushes of the organisation that may be older than the push at `position`: places without a position or with an earlier position, and
 * unfinished imports without a place. Usually there are none. `isOverdue`: the API has answered the push by now.
 */
export async function possiblyOlderImports(
  organisationId: string,
  position: string,
  pool: Pool,
): Promise<{ readonly importId: string; readonly isOverdue: boolean }[]> {
  const { rows } = await pool.query<{ importId: string; isOverdue: boolean }>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $3) as "isOverdue"
       from import_queue where organisation_id = $1 and (position is null or position < $2)
     union all
     select import_id, submitted_at < now() - make_interval(secs => $3)
       from imports i
      where organisation_id = $1 and status in ('queued', 'processing') and position < $2 and ${isUnqueuedSql}`,
    [organisationId, position, unconfirmedAfterSeconds],
  );
  return rows;
}

/** Called before the import starts. A marked import runs before older imports whose places are given back later. */
export async function markStarted(pool: Pool, importId: string): Promise<void> {
  await pool.query("update import_queue set started = true where import_id = $1", [importId]);
}

interface PushToQueue {
  readonly organisationId: string;
  readonly idempotencyKey: string | undefined;
  readonly now: Date;
  readonly withinMs: number;
}

/**
 * Rejects a push to a full queue before its body is read. A push that passes may still be rejected, if another takes the last place. A
 * repeated Idempotency-Key passes, since that push takes no place and gets the first push's answer.
 */
export async function rejectWhenFull(
  { pool, eventStore, maxQueuedImports }: { pool: Pool; eventStore: EventStore; maxQueuedImports: number },
  { organisationId, idempotencyKey, now, withinMs }: PushToQueue,
): Promise<void> {
  const deadline = deadlineIn(withinMs);
  if ((await deadline.within("database", countFreePlaces(organisationId, maxQueuedImports, pool))) > 0) return;
  if (idempotencyKey === undefined) throw queueFullRejection(maxQueuedImports);
  const { importId, earlier } = await deadline.within("event store", importOfKey(eventStore, { organisationId, idempotencyKey, now }));
  if (earlier || (await deadline.within("database", hasRow(pool, "select from import_queue where import_id = $1", [importId])))) return;
  throw queueFullRejection(maxQueuedImports);
}
