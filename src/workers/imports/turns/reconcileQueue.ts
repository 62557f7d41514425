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

/** Confirms or removes places that their pushes did not confirm, as the streams say. Gives places to unfinished imports that have none. */
export async function reconcileQueue({ pool, eventStore }: Stores): Promise<void> {
  for (const { importId, hasExpired } of await unconfirmedPlaces(pool)) {
    const loaded = await loadImport(eventStore, importId);
    // A process that cancels an import may be killed before it removes the place.
    const isObsolete = hasEnded(loaded) || (!(await confirmIfRecorded(pool, loaded)) && hasExpired);
    if (isObsolete) await removeUnconfirmedPlace(pool, importId);
  }
  for (const importId of await importsWithoutPlace(pool)) {
    const loaded = await loadImport(eventStore, importId);
    if (!hasEnded(loaded)) await confirmIfRecorded(pool, loaded); // asked again: the table may not show an import's end yet
  }
}

/** Returns whether the event log has the import. */
async function confirmIfRecorded(pool: Stores["pool"], { position, state }: LoadedImport): Promise<boolean> {
  if (position === undefined || state.status === "none") return false;
  await confirmPlace(pool, state.request, position, { started: state.status === "processing" });
  return true;
}

/**
 * Marks the turn's import as started, or throws Interrupted if the streams have an older unfinished push of the organisation. That one runs
 * first: if the API has answered it by now, it gets a confirmed place here. A push that is not in the event log yet is not older. An import
 * that is already marked always goes on.
 */
export async function startIfOldest({ pool, eventStore }: Stores, turn: Turn): Promise<void> {
  const { organisationId, importId, position } = turn;
  if (turn.isMarkedStarted) return;
  let isOldest = true;
  for (const older of await possiblyOlderImports(organisationId, position, pool)) {
    const loaded = await loadImport(eventStore, older.importId);
    if (loaded.position === undefined || loaded.position > BigInt(position) || hasEnded(loaded)) continue;
    isOldest = false;
    if (older.isOverdue) await confirmIfRecorded(pool, loaded);
  }
  if (!isOldest) throw new Interrupted("an older push comes first");
  await markStarted(pool, importId);
}
