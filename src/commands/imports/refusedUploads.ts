// The stored uploads of pushes that were answered 503 and never recorded. Only these are ever removed: an upload that this log does not know
// may be the last copy of an acknowledged push of another log, or of this log before an older backup was restored.
import type { Pool } from "pg";
import type { ImportRequested } from "../../events/importEvents.js";
import { logOfUpload } from "./objectKeys.js";

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

/** One page of a log's uploads that were noted longer than `olderThanMs` ago, in the order of their keys. */
export async function refusedUploads(
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
