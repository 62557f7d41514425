import { logOfUpload, uploadsPrefix } from "../../../commands/imports/storedObjects.js";
import { logIdOf } from "../../../commands/logIdentity.js";
import type { WorkerDeps } from "../deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore" | "objectStore" | "logger"> & { readonly signal?: AbortSignal };

/** No upload takes this long: the process that began it is gone, and no import refers to it. */
const dayMs = 24 * 3_600_000;

/** Aborts multipart uploads of this log that a killed process or an outage left open, since the object store keeps (and bills) their parts. */
export async function sweepUploads({ pool, eventStore, objectStore, logger, signal }: Deps, olderThanMs = dayMs): Promise<number> {
  const logId = await logIdOf(eventStore);
  const { rows } = await pool.query<{ now: Date }>("select now()");
  const before = new Date((rows[0]?.now.getTime() ?? 0) - olderThanMs);
  let aborted = 0;
  for (const [prefix, isOurs] of [
    [uploadsPrefix, (key: string) => logOfUpload(key) === logId],
    [`reports/${logId}/`, () => true],
  ] as const) {
    if (signal?.aborted) break;
    aborted += await objectStore.abortUnfinished(prefix, { before, isOurs });
  }
  if (aborted > 0) logger.info({ aborted }, "aborted uploads that were never finished");
  return aborted;
}
