import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { endImport } from "./endImport.js";
import { expectVisible, loadImport } from "./importStream.js";
import { requestCancel } from "./queue/places.js";

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

/** Marks the import's queue place, so that its worker stops at once, and ends the import. */
export async function cancelImport(deps: CancelImportDeps, cancellation: CancelImport): Promise<void> {
  const { importId, by, requestId, now } = cancellation;
  const { state } = await loadImport(deps.eventStore, importId);
  const { status, request } = expectVisible(state, cancellation);
  if (status === "cancelled") return;
  const progress = Math.min(99, await requestCancel(deps.pool, importId));
  const context = { organisation: request.organisationId, by, correlationId: requestId ?? importId };
  await endImport(deps, importId, () => ({ command: { type: "cancelImport", by, progress, now }, context }));
}
