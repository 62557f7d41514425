// Which stored uploads are known to have been refused. Only these are ever swept: an upload that a log does not know may be the last copy
// of one that was acknowledged, by another log or by a later state of this one.
import type { Pool } from "pg";
import type { ImportRequested } from "../../events/importEvents.js";
import { logOfUpload } from "./objectKeys.js";

export interface RefusedUpload {
  readonly key: string;
  readonly importId: string;
}

/** The push was not acknowledged, and its append did not land: nothing refers to this file. */
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

/** Those of one log that were refused so long ago, by key. */
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
