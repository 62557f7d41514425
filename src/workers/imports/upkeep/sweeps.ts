// Deletes what is no longer needed: unrecorded and unfinished uploads, files kept for review, expired sessions, counts of wrong passwords.
import { readImportRequest } from "../../../commands/imports/importStream.js";
import { removeExpiredKeptFiles } from "../../../commands/imports/keptFiles.js";
import { forgetRefusedUpload, listRefusedUploads, type RefusedUpload } from "../../../commands/imports/storedObjects.js";
import { forgetSessions } from "../../../commands/members/sessions.js";
import { forgetFailures, forgetGuesses } from "../../../commands/members/signInPace.js";
import { readLogId, streamOf } from "../../../events/streams.js";
import { newestImport } from "../../../queries/imports/importView.js";
import type { WorkerDeps } from "../deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

const dayMs = 24 * 3_600_000;
const refusedDays = 30;
const uploadsPerPage = 200;

/**
 * Removes uploads of pushes that were answered 503 and never recorded, a month after they were noted in refused_uploads. Other objects stay
 * even if no import refers to them: an older event store may have been restored, or another deployment may use the same bucket.
 */
export async function sweepRefusedUploads(deps: Deps, olderThanMs = refusedDays * dayMs): Promise<number> {
  const { pool, eventStore, logger, signal } = deps;
  const [logId, newestEventAt] = [await readLogId(eventStore), await newestImportEventAt(deps)];
  if (logId === undefined || !newestEventAt) return 0;
  let removed = 0;
  for (let afterKey = ""; !signal?.aborted; ) {
    const page = await listRefusedUploads(pool, { logId, olderThanMs, afterKey, max: uploadsPerPage });
    for (const upload of page) if (await removeRefusedUpload(deps, upload, newestEventAt)) removed += 1;
    afterKey = page.at(-1)?.key ?? "";
    if (page.length < uploadsPerPage) break;
  }
  if (removed > 0) logger.info({ removed, refusedDays }, "removed the uploads of pushes that were answered 503 and never recorded");
  return removed;
}

async function removeRefusedUpload(deps: Deps, { key, importId }: RefusedUpload, newestEventAt: Date): Promise<boolean> {
  const { pool, eventStore, objectStore } = deps;
  const object = await findObject(deps, key);
  // Without an event after the upload, the log may be an older one that was restored and lacks this push.
  if (object && object.modifiedAt >= newestEventAt) return false;
  // An append may have landed after the push was answered with an error.
  const isUnrecorded = object !== undefined && (await readImportRequest(eventStore, importId))?.file.key !== key;
  if (isUnrecorded) await objectStore.remove(key);
  await forgetRefusedUpload(pool, key);
  return isUnrecorded;
}

async function findObject({ objectStore }: Deps, wanted: string): Promise<{ modifiedAt: Date } | undefined> {
  for await (const { key, modifiedAt } of objectStore.list(wanted)) if (key === wanted) return { modifiedAt };
  return undefined;
}

/** The time of the last event of this event log's newest import. The table names the import, and its stream has the time. */
async function newestImportEventAt({ pool, eventStore }: Deps): Promise<Date | undefined> {
  const newest = await newestImport(pool);
  return newest && (await eventStore.last(streamOf.import(newest.importId)))?.recordedAt;
}

async function databaseNow({ pool }: Deps): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>("select now()");
  return rows[0]?.now ?? new Date();
}

/** Removes files that a killed process or an outage left half written in the object store. No upload takes a day. */
export async function sweepUnfinishedUploads(deps: Deps): Promise<number> {
  const removed = await deps.objectStore.removeUnfinished(new Date((await databaseNow(deps)).getTime() - dayMs));
  if (removed > 0) deps.logger.info({ removed }, "removed uploads that were never finished");
  return removed;
}

/** Removes the files that have waited in the portal for a day. */
export async function sweepKeptFiles(deps: Deps): Promise<number> {
  const removed = await removeExpiredKeptFiles(deps, { now: await databaseNow(deps), signal: deps.signal });
  if (removed > 0) deps.logger.info({ removed }, "removed uploaded files that nobody has recorded within a day");
  return removed;
}

/** Deletes expired counts of wrong passwords and expired sessions. Sign-ins also delete most of them, but perhaps nobody signs in. */
export async function forgetExpiredSignIns({ pool }: Pick<WorkerDeps, "pool">): Promise<void> {
  await forgetFailures(pool);
  await forgetGuesses(pool);
  await forgetSessions(pool);
}
