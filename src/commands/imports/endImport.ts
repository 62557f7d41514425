// The one way in which an import ends without completing.
import type { Pool } from "pg";
import type { EventContext } from "../../events/codec.js";
import { rowsBefore } from "../../events/importLayout.js";
import type { EventStore } from "../../ports/eventStore.js";
import { catchUpImport } from "../../projections/importRow.js";
import { retryConflicts } from "../handle.js";
import type { ImportCommand } from "./importDecider.js";
import { handleImport, type LoadedImport, loadImport } from "./importStream.js";
import { freePlace } from "./queue/places.js";

export type EndCommand = Extract<ImportCommand, { type: "failImport" | "cancelImport" }>;

/**
 * Appends the end, shows it in the table and frees the place. While a worker still runs the import, its appends compete with this one for the
 * same revision; either order is right. `decide`: undefined where there is nothing to append. Returns the import as it is then.
 */
export async function endImport(
  { pool, eventStore }: { readonly pool: Pool; readonly eventStore: EventStore },
  importId: string,
  decide: (loaded: LoadedImport) => { readonly command: EndCommand; readonly context: EventContext } | undefined,
  turn?: Parameters<typeof freePlace>[2],
): Promise<LoadedImport> {
  const ended = await retryConflicts(async () => {
    const loaded = await loadImport(eventStore, importId);
    const end = decide(loaded);
    return end ? handleImport(eventStore, loaded, end.command, end.context) : loaded;
  });
  await catchUpImport(pool, eventStore, importId);
  await freePlace(pool, { importId, rows: rowsBefore(ended.revision) }, turn);
  return ended;
}
