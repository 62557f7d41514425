import type { Pool } from "pg";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { untilNoConflict } from "../untilNoConflict.js";
import { freePlace, requestCancel } from "./importQueue.js";
import { carryOut, type LoadedImport, loadImport } from "./importStream.js";

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
 * Marks the import's queue place, so that its worker stops within a second, and appends ImportCancelled. Until the worker stops, its appends
 * compete with this one for the same revision; either order is right.
 */
export async function cancelImport(deps: CancelImportDeps, asked: CancelImport): Promise<void> {
  const { importId } = asked;
  let loaded = expectVisible(await loadImport(deps.eventStore, importId), asked);
  if (loaded.state.status === "cancelled") return;
  const progress = Math.min(99, await requestCancel(deps.pool, importId));
  await untilNoConflict(async (conflicts) => {
    if (conflicts > 0) loaded = await loadImport(deps.eventStore, importId);
    await append(deps, loaded, asked, progress);
  });
  await freeItsPlace(deps, loaded); // at once, also while a worker still runs the import
}

async function freeItsPlace({ pool }: CancelImportDeps, { importId, state, position }: LoadedImport): Promise<void> {
  if (state.status === "none" || position === undefined) return;
  await freePlace(pool, { importId, organisationId: state.request.organisationId, position });
}

function append({ eventStore }: CancelImportDeps, loaded: LoadedImport, asked: CancelImport, progress: number): Promise<LoadedImport> {
  const organisation = loaded.state.status === "none" ? "" : loaded.state.request.organisationId;
  const context = { organisation, by: asked.by, correlationId: asked.requestId ?? asked.importId };
  return carryOut(eventStore, loaded, { type: "cancelImport", by: asked.by, progress, now: asked.now }, context);
}

/** Throws notFound for another organisation's import or one of the other kind. */
function expectVisible(loaded: LoadedImport, { organisationId, kind }: CancelImport): LoadedImport {
  const { state } = loaded;
  const visible =
    state.status !== "none" &&
    (organisationId === undefined || state.request.organisationId === organisationId) &&
    (kind === undefined || state.request.kind === kind);
  if (!visible) throw new Rejection("notFound", "There is no import with this id.");
  return loaded;
}
