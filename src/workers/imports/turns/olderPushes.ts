import { restorePlace } from "../../../commands/imports/importQueue.js";
import { hasEnded, loadImport } from "../../../commands/imports/importStream.js";
import type { WorkerDeps } from "../deps.js";
import { OlderPushFirst } from "../importing/interruptions.js";
import type { Turn } from "./turns.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore">;

/** By then a push has been answered: it has confirmed its place, or marked it to be cancelled. Earlier it is only waited for. */
export const answeredSeconds = 10;

/**
 * Postgres may have forgotten a push, or not have heard where it stands in the log. Whatever is not in the log by now comes after this
 * turn's import, which is: so one look at the log decides. An older push gets its place back, and this one waits for it. An import that
 * was begun before is finished first, since only one of an organisation may be under way.
 */
export async function beginOldest(deps: Deps, turn: Turn): Promise<void> {
  if (turn.started) return;
  let isOldest = true;
  for (const { importId, answered } of await withoutPlace(deps, turn)) {
    const loaded = await loadImport(deps.eventStore, importId);
    const { position, state } = loaded;
    if (position === undefined || position > BigInt(turn.position) || hasEnded(loaded)) continue;
    isOldest = false;
    const { organisationId } = turn;
    if (answered) await restorePlace(deps.pool, { importId, organisationId, position, started: state.status === "processing" });
  }
  if (!isOldest) throw new OlderPushFirst(`an older push comes before ${turn.importId}`);
  await deps.pool.query("update import_queue set started = true where import_id = $1", [turn.importId]);
}

interface Forgotten {
  readonly importId: string;
  readonly answered: boolean;
}

/** Places that are reserved and no more, and unfinished imports that wait nowhere. Usually there are none. */
async function withoutPlace({ pool }: Deps, { organisationId, position }: Turn): Promise<Forgotten[]> {
  const { rows } = await pool.query<Forgotten>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $3) as answered
       from import_queue where organisation_id = $1 and position is null
     union all
     select import_id, submitted_at < now() - make_interval(secs => $3)
       from imports i
      where organisation_id = $1 and status in ('queued', 'processing') and position < $2
        and not exists (select from import_queue q where q.import_id = i.import_id)
        and not exists (select from ended_imports e where e.import_id = i.import_id)`,
    [organisationId, position, answeredSeconds],
  );
  return rows;
}
