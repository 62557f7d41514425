import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { untilNoConflict } from "../handle.js";
import { freePlace, requestCancel } from "./importQueue.js";
import { carryOut, expectVisible, loadImport } from "./importStream.js";

export interface CancelImportDeps {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

export interface CancelImport {
  /** Undefined for the command line, which may cancel any organisation's import. */
  readonly organisationId: string | undefined;
  readonly importId: string;
  readonly kind?: ImportKind;
  readonly by: Principal;
  readonly requestId?: string;
  readonly now: Date;
}

/**
 * Marks the import's queue place, so that its worker stops at once, and appends ImportCancelled. Until the worker stops, its appends
 * compete with this one for the same revision; either order is right.
 */
export async function cancelImport({ pool, eventStore }: CancelImportDeps, cancellation: CancelImport): Promise<void> {
  const { importId, by, requestId, now } = cancellation;
  let loaded = await loadImport(eventStore, importId);
  const { status, request } = expectVisible(loaded.state, cancellation);
  if (status === "cancelled") return;
  const progress = Math.min(99, await requestCancel(pool, importId));
  const { organisationId } = request;
  const context = { organisation: organisationId, by, correlationId: requestId ?? importId };
  await untilNoConflict(async (conflicts) => {
    if (conflicts > 0) loaded = await loadImport(eventStore, importId);
    await carryOut(eventStore, loaded, { type: "cancelImport", by, progress, now }, context);
  });
  await freePlace(pool, { importId, organisationId, position: loaded.position ?? 0n }); // at once, also while a worker still runs the import
}
