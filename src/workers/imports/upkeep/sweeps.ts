// Deletes what nothing needs any more: uploads without an import, unfinished uploads, wrong passwords of the past, sessions that are over.
import { firstRequest } from "../../../commands/imports/importStream.js";
import { keptPrefix, sweepKeptFiles } from "../../../commands/imports/keptFiles.js";
import {
  asideKey,
  asidePrefix,
  forgetRefusedUpload,
  listRefusedUploads,
  logOfUpload,
  partsOfAside,
  type RefusedUpload,
  uploadsPrefix,
} from "../../../commands/imports/storedObjects.js";
import { logIdOf } from "../../../commands/logIdentity.js";
import { forgetSessions } from "../../../commands/members/sessions.js";
import { forgetFailures, forgetGuesses } from "../../../commands/members/signInPace.js";
import { dropSignInMonths } from "../../../commands/members/signInRecords.js";
import { readLogId, streamOf } from "../../../events/streams.js";
import { ObjectMissing } from "../../../portErrors.js";
import { newestImport } from "../../../queries/imports/watchedImports.js";
import type { WorkerDeps } from "../deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

const dayMs = 24 * 3_600_000;
const asideDays = 30;
const atOnce = 200;

/**
 * Moves uploads aside whose import was never recorded, and removes them a month later. Only uploads listed in refused_uploads are
 * touched. That no import refers to an object is not enough: an older event store may have been restored, or another deployment may
 * use the same bucket.
 */
export async function sweepObjects(deps: Deps, { olderThanMs = dayMs } = {}): Promise<{ moved: number; removed: number }> {
  const logId = await readLogId(deps.eventStore);
  if (logId === undefined) return { moved: 0, removed: 0 };
  const moved = await moveRefused(deps, logId, olderThanMs);
  const removed = await removeOldest(deps, logId);
  if (moved + removed > 0) deps.logger.info({ moved, removed, asideDays }, "moved refused uploads aside, and removed those of a month ago");
  return { moved, removed };
}

async function moveRefused(deps: Deps, logId: string, olderThanMs: number): Promise<number> {
  const { pool, signal } = deps;
  const lastEvent = await lastEventAt(deps);
  if (!lastEvent) return 0;
  let moved = 0;
  for (let after = ""; !signal?.aborted; ) {
    const page = await listRefusedUploads(pool, { logId, olderThanMs, after, max: atOnce });
    for (const upload of page) if (await moveOne(deps, logId, upload, lastEvent)) moved += 1;
    after = page.at(-1)?.key ?? "";
    if (page.length < atOnce) break;
  }
  return moved;
}

async function moveOne(deps: Deps, logId: string, { key, importId }: RefusedUpload, lastEvent: Date): Promise<boolean> {
  const { pool, objectStore } = deps;
  const object = await find(deps, key);
  if (object && object.modifiedAt >= lastEvent) return false; // newer than the log's last event: an older log may have been restored
  const isToGo = object && !(await isRecorded(deps, { key, importId }));
  if (isToGo) {
    const day = (await databaseNow(deps)).toISOString().slice(0, 10);
    await objectStore.move(key, asideKey({ logId, day, importId, key })).catch((error: unknown) => {
      if (!(error instanceof ObjectMissing)) throw error; // another worker was faster
    });
  }
  await forgetRefusedUpload(pool, key);
  return isToGo ?? false;
}

/** An append may have landed after the push was answered with an error. */
async function isRecorded({ eventStore }: Deps, { key, importId }: RefusedUpload): Promise<boolean> {
  return (await firstRequest(eventStore, importId))?.file.key === key;
}

async function find({ objectStore }: Deps, wanted: string): Promise<{ modifiedAt: Date } | undefined> {
  for await (const { key, modifiedAt } of objectStore.list(wanted)) if (key === wanted) return { modifiedAt };
  return undefined;
}

/** When this log's newest import had its last event: the table names the import, the log has the time. */
async function lastEventAt({ pool, eventStore }: Deps): Promise<Date | undefined> {
  const newest = await newestImport(pool);
  return newest && (await eventStore.last(streamOf.import(newest.importId)))?.recordedAt;
}

async function removeOldest(deps: Deps, logId: string): Promise<number> {
  const { objectStore, signal } = deps;
  const oldest = (await databaseNow(deps)).getTime() - asideDays * dayMs;
  let removed = 0;
  for await (const { key } of objectStore.list(asidePrefix(logId))) {
    if (signal?.aborted) break;
    const aside = partsOfAside(key);
    if (!aside || Date.parse(aside.day) + dayMs > oldest) continue; // counted from the end of the day on which it was moved
    if (await isRecorded(deps, aside)) {
      await objectStore.move(key, aside.key);
      continue;
    }
    await objectStore.remove(key);
    removed += 1;
  }
  return removed;
}

async function databaseNow({ pool }: Deps): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>("select now()");
  return rows[0]?.now ?? new Date();
}

/**
 * Aborts multipart uploads of this log that a killed process or an outage left open, since the object store keeps (and bills) their parts.
 * No upload takes a day: the process that began it is gone, and no import refers to it.
 */
export async function sweepUploads(deps: Deps, olderThanMs = dayMs): Promise<number> {
  const { eventStore, objectStore, logger, signal } = deps;
  const logId = await logIdOf(eventStore);
  const before = new Date((await databaseNow(deps)).getTime() - olderThanMs);
  let aborted = 0;
  for (const [prefix, isOurs] of [
    [uploadsPrefix, (key: string) => logOfUpload(key) === logId],
    [`reports/${logId}/`, () => true],
    [keptPrefix(logId), () => true],
  ] as const) {
    if (signal?.aborted) break;
    aborted += await objectStore.abortUnfinished(prefix, { before, isOurs });
  }
  if (aborted > 0) logger.info({ aborted }, "aborted uploads that were never finished");
  return aborted;
}

/** Removes the files that waited a day for somebody to choose their columns. */
export async function sweepKept(deps: Deps): Promise<number> {
  const removed = await sweepKeptFiles(deps, { now: await databaseNow(deps), signal: deps.signal });
  if (removed > 0) deps.logger.info({ removed }, "removed files whose columns nobody has chosen within a day");
  return removed;
}

/** Deletes the months of sign-ins whose time in the log is over. */
export async function sweepSignIns({ pool, eventStore, logger }: Deps): Promise<number> {
  const months = await dropSignInMonths({ pool, events: eventStore });
  if (months > 0) logger.info({ months }, "deleted sign-ins whose time in the log is over");
  return months;
}

/** Deletes what is kept of wrong passwords and of sessions when its time is over, also where no further sign-in comes. */
export async function forgetSignIns({ pool }: Pick<WorkerDeps, "pool">): Promise<void> {
  await forgetFailures(pool);
  await forgetGuesses(pool);
  await forgetSessions(pool);
}
