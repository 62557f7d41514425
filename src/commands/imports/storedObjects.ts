// The stored uploads and error reports. Each key names its event log, since two deployments may share a bucket. A restored one has the
// id of its original.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { ImportRequested } from "../../events/importEvents.js";
import { channels } from "../../ports/notices.js";

export const newUploadKey = (organisationId: string, logId: string): string => `uploads/${organisationId}/${logId}/${randomUUID()}`;

/** The event log that an upload belongs to; undefined for one stored before logs had ids. */
export function logOfUpload(key: string): string | undefined {
  const [, , logId, object] = key.split("/");
  return object === undefined ? undefined : logId;
}

/** Has the event log's id, because an import's id that is derived from an Idempotency-Key may be the same in two logs. */
export function reportKey({ importId, file }: Pick<ImportRequested, "importId" | "file">): string {
  const logId = logOfUpload(file.key);
  return logId === undefined ? `reports/${importId}.xlsx` : `reports/${logId}/${importId}.xlsx`;
}

/**
 * The upload of a push that was answered 503 and never recorded. Only these are ever removed: an upload that this event log does not know may be the
 * last copy of an acknowledged push of another event log, or of this one before an older backup was restored.
 */
export interface RefusedUpload {
  readonly key: string;
  readonly importId: string;
}

/** The push was answered 503 and its append did not land, so no event refers to the file. */
export async function noteRefusedUpload(pool: Pool, { importId, file: { key } }: ImportRequested): Promise<void> {
  const logId = logOfUpload(key);
  if (logId === undefined) return;
  await pool.query("insert into refused_uploads (key, import_id, log_id) values ($1, $2, $3) on conflict do nothing", [
    key,
    importId,
    logId,
  ]);
}

export async function forgetRefusedUpload(pool: Pool, key: string): Promise<void> {
  await pool.query("delete from refused_uploads where key = $1", [key]);
}

/** One page of an event log's uploads that were noted longer than `olderThanMs` ago, in the order of their keys. */
export async function listRefusedUploads(
  pool: Pool,
  { logId, olderThanMs, after, max }: { logId: string; olderThanMs: number; after: string; max: number },
): Promise<RefusedUpload[]> {
  const { rows } = await pool.query<RefusedUpload>(
    `select key, import_id as "importId" from refused_uploads
      where log_id = $1 and key > $3 and refused_at < now() - make_interval(secs => $2 / 1000.0) order by key limit $4`,
    [logId, olderThanMs, after, max],
  );
  return rows;
}

/** Asks the workers to make an import's error report again; false when the import has none. Asking twice leads to one report. */
export async function askForReport(pool: Pool, importId: string): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>(
    `with wanted as (
       select import_id from imports where import_id = $1 and status in ('completed', 'cancelled', 'failed') and failed > 0
     ), queued as (
       insert into late_reports as mine (import_id, attempts, claimed_until) select import_id, 0, now() from wanted
       on conflict (import_id) do update set report_key = null, attempts = 0, claimed_until = now() where mine.report_key is not null
     )
     select pg_notify('${channels.reportWanted}', ''), exists (select from wanted) as known`,
    [importId],
  );
  return rows[0]?.known ?? false;
}
