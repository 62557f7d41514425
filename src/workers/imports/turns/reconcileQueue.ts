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

/** Confirms or removes the places that their pushes did not confirm: the streams say which. Gives an unfinished import without a place one. */
export async function reconcileQueue({ pool, eventStore }: Stores): Promise<void> {
  for (const { importId, givenUp } of await unconfirmedPlaces(pool)) {
    const loaded = await loadImport(eventStore, importId);
    // A process that cancels an import may be killed before it removes the place.
    const isUseless = hasEnded(loaded) || (!(await confirmIfRecorded(pool, loaded)) && givenUp);
    if (isUseless) await removeUnconfirmedPlace(pool, importId);
  }
  for (const importId of await importsWithoutPlace(pool)) {
    const loaded = await loadImport(eventStore, importId);
    if (!hasEnded(loaded)) await confirmIfRecorded(pool, loaded); // the table `imports` may not show its end yet
  }
}

async function confirmIfRecorded(pool: Stores["pool"], { position, state }: LoadedImport): Promise<boolean> {
  if (position === undefined || state.status === "none") return false;
  await confirmPlace(pool, state.request, position, { started: state.status === "processing" });
  return true;
}

/**
 * Marks the turn's import as started, or throws Interrupted if the streams have an older unfinished push of the organisation, which runs
 * first: if the API has answered it by now, its place is confirmed or given back here. A push that is not in the event log yet will be
 * recorded after this turn's import. An import that was started before is always finished first.
 */
export async function startIfOldest({ pool, eventStore }: Stores, { mayStart, organisationId, importId, position }: Turn): Promise<void> {
  if (mayStart) return;
  let isOldest = true;
  for (const older of await possiblyOlderImports(organisationId, position, pool)) {
    const loaded = await loadImport(eventStore, older.importId);
    if (loaded.position === undefined || loaded.position > BigInt(position) || hasEnded(loaded)) continue;
    isOldest = false;
    if (older.overdue) await confirmIfRecorded(pool, loaded);
  }
  if (!isOldest) throw new Interrupted("an older push comes first");
  await markStarted(pool, importId);
}
