// Makes the queue agree with the streams again after a push was interrupted or the queue was lost.
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import {
  confirmPlace,
  importsWithoutPlace,
  markStarted,
  possiblyOlderImports,
  removeUnconfirmedPlace,
  unconfirmedPlaces,
} from "../../../commands/imports/queue/places.js";
import type { Turn } from "../../../commands/imports/queue/turns.js";
import type { Stores } from "../../../ports/database.js";
import { Interrupted } from "./holdTurn.js";

/** Confirms or removes places that their push never confirmed: the event log says which. Gives imports without a place a place. */
export async function reconcileQueue({ pool, eventStore }: Stores): Promise<void> {
  for (const { importId, givenUp } of await unconfirmedPlaces(pool)) {
    if (!(await queueIfUnfinished(pool, await loadImport(eventStore, importId))) && givenUp) await removeUnconfirmedPlace(pool, importId);
  }
  for (const importId of await importsWithoutPlace(pool)) {
    const loaded = await loadImport(eventStore, importId);
    if (!hasEnded(loaded)) await queueIfUnfinished(pool, loaded); // an ended import is here only because the table is behind
  }
}

async function queueIfUnfinished(pool: Stores["pool"], { position, state }: LoadedImport): Promise<boolean> {
  if (position === undefined || state.status === "none") return false;
  await confirmPlace(pool, state.request, position, { started: state.status === "processing" });
  return true;
}

/**
 * Marks the turn's import as started, or throws Interrupted if the streams have an older unfinished push of the organisation. That one gets
 * its queue place back and runs first. A push that is not in the event log yet will be recorded after this turn's import. An import that
 * was started before is always finished first, since an organisation runs one import at a time.
 */
export async function startIfOldest({ pool, eventStore }: Stores, { mayStart, organisationId, importId, position }: Turn): Promise<void> {
  if (mayStart) return;
  let isOldest = true;
  for (const older of await possiblyOlderImports(organisationId, position, pool)) {
    const loaded = await loadImport(eventStore, older.importId);
    if (loaded.position === undefined || loaded.position > BigInt(position) || hasEnded(loaded)) continue;
    isOldest = false;
    if (older.overdue) await queueIfUnfinished(pool, loaded);
  }
  if (!isOldest) throw new Interrupted("an older push comes first");
  await markStarted(pool, importId);
}
