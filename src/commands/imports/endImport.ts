// Ends an import that does not complete: it fails or is cancelled.
import type { Principal } from "../../domain/principal.js";
import type { EventContext } from "../../events/codec.js";
import { rowsBefore } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import { catchUpImport } from "../../projections/importRow.js";
import { retryConflicts } from "../handle.js";
import type { ImportCommand } from "./importDecider.js";
import { handleImport, type ImportScope, type LoadedImport, loadImport, loadVisibleImport } from "./importStream.js";
import { cancelPlace, removePlace } from "./queue/places.js";

export type EndCommand = Extract<ImportCommand, { type: "failImport" | "cancelImport" }>;

/**
 * Appends the end, shows it in the table, frees the queue place and returns the ended import. `decide` returns undefined if there is
 * nothing to append. A worker that still runs the import competes with this append for the same revision; either may come first.
 */
export async function endImport(
  { pool, eventStore }: Stores,
  importId: string,
  decide: (loaded: LoadedImport) => { readonly command: EndCommand; readonly context: EventContext } | undefined,
  turn?: Parameters<typeof removePlace>[2],
): Promise<LoadedImport> {
  const ended = await retryConflicts(async () => {
    const loaded = await loadImport(eventStore, importId);
    const end = decide(loaded);
    return end ? handleImport(eventStore, loaded, end.command, end.context) : loaded;
  });
  await catchUpImport(pool, eventStore, importId);
  await removePlace(pool, { importId, rows: rowsBefore(ended.revision) }, turn);
  return ended;
}

/** Marks the import's queue place, so that its worker stops soon, and appends the cancellation. */
export async function cancelImport(
  deps: Stores,
  cancellation: ImportScope & { readonly by: Principal; readonly requestId?: string; readonly now: Date },
): Promise<void> {
  const { importId, by, requestId, now } = cancellation;
  const { status, request } = (await loadVisibleImport(deps.eventStore, cancellation)).state;
  if (status === "cancelled") return;
  const progress = Math.min(99, await cancelPlace(deps.pool, importId));
  const context = { organisation: request.organisationId, by, correlationId: requestId ?? importId };
  await endImport(deps, importId, () => ({ command: { type: "cancelImport", by, progress, now }, context }));
}
