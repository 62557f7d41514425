// The keys of stored uploads and error reports, and the uploads that may be removed. Each key has the event log's id, since two deployments
// may share a bucket. A restored event log has the id of its original.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { ImportRequested } from "../../events/importEvents.js";
import { channels } from "../../ports/notices.js";

export const newUploadKey = (organisationId: string, logId: string): string => `uploads/${organisationId}/${logId}/${randomUUID()}`;

/** The id of the event log that an upload belongs to; undefined for an upload from before logs had ids. */
export function logIdOfUpload(key: string): string | undefined {
  const [, , logId, object] = key.split("/");
  return object === undefined ? undefined : logId;
}

/** The key has the event log's id, because two logs may have the same import id: an Idempotency-Key determines it. */
export function reportKey({ importId, file }: Pick<ImportRequested, "importId" | "file">): string {
  const logId = logIdOfUpload(file.key);
  return logId === undefined ? `reports/${importId}.xlsx` : `reports/${logId}/${importId}.xlsx`;
}

/**
 * The upload of a push that was answered 503 and never recorded. No other upload is removed: one that this event log does not name may be
 * the last copy of an acknowledged push of another event log, or of this log before an older backup was restored.
 */
export interface RefusedUpload {
  readonly key: string;
  readonly importId: string;
}

/** Called when the push was answered 503 and its append did not land, so that no event refers to the file. */
export async function noteRefusedUpload(pool: Pool, { importId, file: { key } }: ImportRequested): Promise<void> {
  const logId = logIdOfUpload(key);
  if (logId === undefined) return;
  const insertSql = "insert into refused_uploads (key, import_id, log_id) values ($1, $2, $3) on conflict do nothing";
  await pool.query(insertSql, [key, importId, logId]);
}

export async function forgetRefusedUpload(pool: Pool, key: string): Promise<void> {
  await pool.query("delete from refused_uploads where key = $1", [key]);
}

/** One page of an event log's refused uploads that were noted longer than `olderThanMs` ago, in the order of their keys. */
export async function listRefusedUploads(
  pool: Pool,
  { logId, olderThanMs, afterKey, max }: { logId: string; olderThanMs: number; afterKey: string; max: number },
): Promise<RefusedUpload[]> {
  const { rows } = await pool.query<RefusedUpload>(
    `select key, import_id as "importId" from refused_uploads
      where log_id = $1 and key > $3 and refused_at < now() - make_interval(secs => $2 / 1000.0) order by key limit $4`,
    [logId, olderThanMs, afterKey, max],
  );
  return rows;
}

/** Asks the workers to make an import's error report again. False if the import has no report. Asking twice leads to one report. */
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
