// Deletes what nothing needs any more: uploads of pushes that were answered 503, unfinished uploads, wrong passwords of the past, sessions that are over.
import { firstRequest } from "../../../commands/imports/importStream.js";
import { sweepKeptFiles } from "../../../commands/imports/keptFiles.js";
import { forgetRefusedUpload, listRefusedUploads, type RefusedUpload } from "../../../commands/imports/storedObjects.js";
import { forgetSessions } from "../../../commands/members/sessions.js";
import { forgetFailures, forgetGuesses } from "../../../commands/members/signInPace.js";
import { readLogId, streamOf } from "../../../events/streams.js";
import { newestImport } from "../../../queries/imports/importView.js";
import type { WorkerDeps } from "../deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

const dayMs = 24 * 3_600_000;
const refusedDays = 30;
const atOnce = 200;

/**
 * Removes uploads of pushes that were answered 503 and never recorded, a month after they were noted in refused_uploads. That no import refers to an
 * object is not enough: an older event store may have been restored, or another deployment may use the same bucket.
 */
export async function sweepObjects(deps: Deps, olderThanMs = refusedDays * dayMs): Promise<number> {
  const { pool, eventStore, logger, signal } = deps;
  const [logId, lastEvent] = [await readLogId(eventStore), await lastEventAt(deps)];
  if (logId === undefined || !lastEvent) return 0;
  let removed = 0;
  for (let after = ""; !signal?.aborted; ) {
    const page = await listRefusedUploads(pool, { logId, olderThanMs, after, max: atOnce });
    for (const upload of page) if (await removeRefused(deps, upload, lastEvent)) removed += 1;
    after = page.at(-1)?.key ?? "";
    if (page.length < atOnce) break;
  }
  if (removed > 0) logger.info({ removed, refusedDays }, "removed the uploads of pushes that were refused a month ago");
  return removed;
}

async function removeRefused(deps: Deps, { key, importId }: RefusedUpload, lastEvent: Date): Promise<boolean> {
  const { pool, eventStore, objectStore } = deps;
  const object = await find(deps, key);
  if (object && object.modifiedAt >= lastEvent) return false; // newer than the event log's last event: an older state of it may have been restored
  // An append may have landed after the push was answered with an error.
  const isRefused = object !== undefined && (await firstRequest(eventStore, importId))?.file.key !== key;
  if (isRefused) await objectStore.remove(key);
  await forgetRefusedUpload(pool, key);
  return isRefused;
}

async function find({ objectStore }: Deps, wanted: string): Promise<{ modifiedAt: Date } | undefined> {
  for await (const { key, modifiedAt } of objectStore.list(wanted)) if (key === wanted) return { modifiedAt };
  return undefined;
}

/** When the newest import of this event log had its last event: the table names the import, its stream has the time. */
async function lastEventAt({ pool, eventStore }: Deps): Promise<Date | undefined> {
  const newest = await newestImport(pool);
  return newest && (await eventStore.last(streamOf.import(newest.importId)))?.recordedAt;
}

async function databaseNow({ pool }: Deps): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>("select now()");
  return rows[0]?.now ?? new Date();
}

/** Removes the files that a killed process or an outage left half written in the embedded object store. No upload takes a day. */
export async function sweepUploads(deps: Deps): Promise<number> {
  const removed = await deps.objectStore.removeUnfinished(new Date((await databaseNow(deps)).getTime() - dayMs));
  if (removed > 0) deps.logger.info({ removed }, "removed uploads that were never finished");
  return removed;
}

/** Removes the files that waited a day for somebody to choose their columns. */
export async function sweepKept(deps: Deps): Promise<number> {
  const removed = await sweepKeptFiles(deps, { now: await databaseNow(deps), signal: deps.signal });
  if (removed > 0) deps.logger.info({ removed }, "removed files whose columns nobody has chosen within a day");
  return removed;
}

/** Deletes what is kept of wrong passwords and of sessions when its time is over, also where no further sign-in comes. */
export async function forgetSignIns({ pool }: Pick<WorkerDeps, "pool">): Promise<void> {
  await forgetFailures(pool);
  await forgetGuesses(pool);
  await forgetSessions(pool);
}
