import { releasePlace, restorePlace } from "../../../commands/imports/importQueue.js";
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import type { WorkerDeps } from "../deps.js";
import { Interrupted } from "./holdTurn.js";
import type { Turn } from "./turns.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore">;

/** After this time the API has answered the push: it has confirmed the queue place or marked it as cancelled. Before, the worker waits for it. */
const answeredSeconds = 10;
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
  const stuck = await pool.query<{ importId: string; givenUp: boolean }>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $1) as "givenUp"
       from import_queue where position is null and reserved_at < now() - make_interval(secs => $2) order by reserved_at limit $3`,
    [reservedSeconds, answeredSeconds, atOnce],
  );
  for (const { importId, givenUp } of stuck.rows) {
    const loaded = await loadImport(eventStore, importId);
    if (!(await restored(pool, loaded)) && givenUp) await releasePlace(pool, importId);
  }
}

/** SQL for an import `i` that has not ended and has no place in the queue. */
const isUnqueued = `i.status in ('queued', 'processing')
  and not exists (select from import_queue q where q.import_id = i.import_id)
  and not exists (select from ended_imports e where e.import_id = i.import_id)`;

/** Unfinished imports that have no place in the queue. */
async function queueMissing({ pool, eventStore }: Deps): Promise<void> {
  const missing = await pool.query<{ importId: string }>(
    `select i.import_id as "importId" from imports i
      where ${isUnqueued} and i.submitted_at < now() - make_interval(secs => $1)
      order by i.position limit $2`,
    [missingSeconds, atOnce],
  );
  for (const { importId } of missing.rows) {
    const loaded = await loadImport(eventStore, importId);
    if (!hasEnded(loaded)) await restored(pool, loaded); // otherwise the import has ended and the projection is behind
  }
}

async function restored(pool: Deps["pool"], { position, state }: LoadedImport): Promise<boolean> {
  if (position === undefined || state.status === "none") return false;
  await restorePlace(pool, state.request, { position, started: state.status === "processing" });
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

/**
 * Starts the turn's import unless the organisation has an older unfinished push. The queue in Postgres may lack that push (a restored
 * database) or its position (a push that is not confirmed yet), so the streams decide. A push that is not in the log now will be
 * recorded after this turn's import, so one look is enough. An older push gets its queue place back and runs first. An import that
 * was started before is always finished first, since an organisation runs one import at a time.
 */
export async function beginOldest(deps: Deps, turn: Turn): Promise<void> {
  if (turn.started) return;
  let isOldest = true;
  for (const { importId, answered } of await perhapsOlder(deps, turn)) {
    const loaded = await loadImport(deps.eventStore, importId);
    if (loaded.position === undefined || loaded.position > BigInt(turn.position) || hasEnded(loaded)) continue;
    isOldest = false;
    if (answered) await restored(deps.pool, loaded);
  }
  if (!isOldest) throw new Interrupted("an older push comes first");
  await deps.pool.query("update import_queue set started = true where import_id = $1", [turn.importId]);
}

interface OlderPush {
  readonly importId: string;
  readonly answered: boolean;
}

/**
 * Reserved queue places without a position, places that got an older one since the turn was claimed, and unfinished imports without a queue
 * place. Usually there are none.
 */
async function perhapsOlder({ pool }: Deps, { organisationId, position }: Turn): Promise<OlderPush[]> {
  const { rows } = await pool.query<OlderPush>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $3) as answered
       from import_queue where organisation_id = $1 and (position is null or position < $2)
     union all
     select import_id, submitted_at < now() - make_interval(secs => $3)
       from imports i
      where organisation_id = $1 and position < $2 and ${isUnqueued}`,
    [organisationId, position, answeredSeconds],
  );
  return rows;
}
