import { releasePlace, restorePlace } from "../../../commands/imports/importQueue.js";
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import type { WorkerDeps } from "../deps.js";
import { answeredSeconds } from "./olderPushes.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore">;

/** A push whose stream is still empty after this time is never recorded. */
const reservedSeconds = 60;
const missingSeconds = 30;
const atOnce = 100;
const endedDays = 7;

/** Makes the queue agree with the streams again, after a push was interrupted or the queue was lost. */
export async function reconcileQueue(deps: Deps): Promise<void> {
  await resolveReservations(deps);
  await queueMissing(deps);
  await forgetEnded(deps);
}

/** Reserved places that the push never confirmed: confirmed here if the import's stream exists, else released. */
async function resolveReservations({ pool, eventStore }: Deps): Promise<void> {
  const stuck = await pool.query<{ importId: string; organisationId: string; givenUp: boolean }>(
    `select import_id as "importId", organisation_id as "organisationId", reserved_at < now() - make_interval(secs => $1) as "givenUp"
       from import_queue where position is null and reserved_at < now() - make_interval(secs => $2) order by reserved_at limit $3`,
    [reservedSeconds, answeredSeconds, atOnce],
  );
  for (const { importId, organisationId, givenUp } of stuck.rows) {
    const loaded = await loadImport(eventStore, importId);
    if (!(await restored(pool, organisationId, loaded)) && givenUp) await releasePlace(pool, importId);
  }
}

/** Unfinished imports that have no place in the queue. */
async function queueMissing({ pool, eventStore }: Deps): Promise<void> {
  const missing = await pool.query<{ importId: string; organisationId: string }>(
    `select i.import_id as "importId", i.organisation_id as "organisationId" from imports i
      where i.status in ('queued', 'processing') and i.submitted_at < now() - make_interval(secs => $1)
        and not exists (select 1 from import_queue q where q.import_id = i.import_id)
        and not exists (select 1 from ended_imports e where e.import_id = i.import_id)
      order by i.position limit $2`,
    [missingSeconds, atOnce],
  );
  for (const { importId, organisationId } of missing.rows) {
    const loaded = await loadImport(eventStore, importId);
    if (!hasEnded(loaded)) await restored(pool, organisationId, loaded); // otherwise the import has ended and the projection is behind
  }
}

async function restored(pool: Deps["pool"], organisationId: string, { importId, position, state }: LoadedImport): Promise<boolean> {
  if (position === undefined) return false;
  await restorePlace(pool, { importId, organisationId, position, started: state.status === "processing" });
  return true;
}

/** A row of ended_imports is only needed until the imports table shows the ending. */
async function forgetEnded({ pool }: Deps): Promise<void> {
  await pool.query(
    `delete from ended_imports e
      where ended_at < now() - make_interval(days => $1)
         or exists (select from imports i where i.import_id = e.import_id and i.status in ('completed', 'failed', 'cancelled'))`,
    [endedDays],
  );
}
