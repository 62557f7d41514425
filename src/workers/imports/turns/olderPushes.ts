import { restorePlace } from "../../../commands/imports/importQueue.js";
import { hasEnded, loadImport } from "../../../commands/imports/importStream.js";
import type { WorkerDeps } from "../deps.js";
import { OlderPushFirst } from "../importing/interruptions.js";
import type { Turn } from "./turns.js";

type Deps = Pick<WorkerDeps, "pool" | "eventStore">;

/** After this time the API has answered the push: it has confirmed the queue place or marked it as cancelled. Before, the worker waits for it. */
export const answeredSeconds = 10;

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
    const { position, state } = loaded;
    if (position === undefined || position > BigInt(turn.position) || hasEnded(loaded)) continue;
    isOldest = false;
    const { organisationId } = turn;
    if (answered) await restorePlace(deps.pool, { importId, organisationId, position, started: state.status === "processing" });
  }
  if (!isOldest) throw new OlderPushFirst(`an older push comes before ${turn.importId}`);
  await deps.pool.query("update import_queue set started = true where import_id = $1", [turn.importId]);
}

interface OlderPlace {
  readonly importId: string;
  readonly answered: boolean;
}

/**
 * Reserved queue places without a position, places that got an older one since the turn was claimed, and unfinished imports without a queue
 * place. Usually there are none.
 */
async function perhapsOlder({ pool }: Deps, { organisationId, position }: Turn): Promise<OlderPlace[]> {
  const { rows } = await pool.query<OlderPlace>(
    `select import_id as "importId", reserved_at < now() - make_interval(secs => $3) as answered
       from import_queue where organisation_id = $1 and (position is null or position < $2)
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
