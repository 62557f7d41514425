import { confirmPlace, releasePlace } from "../commands/importQueue.js";
import { hasEnded, loadImport } from "../commands/importStream.js";
import { streamOf } from "../events/streams.js";
import type { WorkerDeps } from "./deps.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore">;

const reservedSeconds = 60;
const missingSeconds = 30;
const atOnce = 100;

/** Mends what a push that died half-way, or a queue that was lost, has left: the streams say which imports there are. */
export async function reconcileQueue(deps: Deps): Promise<void> {
  await settleReservations(deps);
  await queueMissing(deps);
}

/** A place that was reserved and never confirmed: its import is in its stream, or it never came to be. */
async function settleReservations({ pool, eventStore }: Deps): Promise<void> {
  const stuck = await pool.query<{ importId: string }>(
    `select import_id as "importId" from import_queue
      where position is null and reserved_at < now() - make_interval(secs => $1) order by reserved_at limit $2`,
    [reservedSeconds, atOnce],
  );
  for (const { importId } of stuck.rows) {
    const position = await positionOf(eventStore, importId);
    if (position === undefined) await releasePlace(pool, importId);
    else await confirmPlace(pool, importId, position);
  }
}

/** An import that is not finished and waits nowhere. */
async function queueMissing({ pool, eventStore }: Deps): Promise<void> {
  const missing = await pool.query<{ importId: string; organisationId: string }>(
    `select i.import_id as "importId", i.organisation_id as "organisationId" from imports i
      where i.status in ('queued', 'processing') and i.submitted_at < now() - make_interval(secs => $1)
        and not exists (select 1 from import_queue q where q.import_id = i.import_id)
      order by i.position limit $2`,
    [missingSeconds, atOnce],
  );
  for (const { importId, organisationId } of missing.rows) {
    if (hasEnded(await loadImport(eventStore, importId))) continue; // the projection is only late
    await pool.query("insert into import_queue (import_id, organisation_id) values ($1, $2) on conflict do nothing", [
      importId,
      organisationId,
    ]);
    const position = await positionOf(eventStore, importId);
    if (position !== undefined) await confirmPlace(pool, importId, position);
  }
}

/** The commit position of ImportRequested: the import's place in the one order. */
async function positionOf(eventStore: Deps["eventStore"], importId: string): Promise<bigint | undefined> {
  for await (const { position } of eventStore.read(streamOf.import(importId), { max: 1 })) return position.commit;
  return undefined;
}
