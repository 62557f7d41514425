// An import's status is its row in `imports`.
import type { Pool } from "pg";
import { noImport } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { ImportKind } from "../../events/importEvents.js";
import { requestedEvent } from "../../events/importLayout.js";
import type { EventStore } from "../../ports/eventStore.js";
import { catchUpImport } from "../../projections/importRow.js";
import { findImportRow, type ImportRow, isFinished, viewOf } from "./importView.js";

export interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface ImportName {
  readonly kind: ImportKind | undefined;
  readonly importId: string;
}

export type ReadImport = ReturnType<typeof readRow>;

/** Rows in this range of revisions may be missing from the tables, though the import's end is shown. */
export interface UnprojectedRows {
  readonly after: bigint;
  readonly upTo: bigint;
}

export function readRow(row: ImportRow) {
  const { position, revision, counted, status } = row;
  const unprojected: UnprojectedRows | undefined =
    isFinished(status) && counted < revision ? { after: counted, upTo: revision } : undefined;
  return { view: viewOf(row), position, unprojected };
}

export async function requireImport(organisationId: string, name: ImportName, sources: Sources): Promise<ReadImport> {
  const row = await rowOf(organisationId, name, sources);
  if (!row) throw noImport();
  return readRow(row);
}

/** If the process that recorded the push was killed before it wrote the row, the row is written now. */
async function rowOf(organisationId: string, name: ImportName, { pool, eventStore }: Sources): Promise<ImportRow | undefined> {
  const { importId, kind } = name;
  if (!isUuid(importId)) return undefined;
  const row = await findImportRow(organisationId, name, pool);
  if (row) return row;
  const requested = (await requestedEvent(eventStore, importId))?.data;
  if (requested?.organisationId !== organisationId || (kind !== undefined && requested.kind !== kind)) return undefined;
  await catchUpImport(pool, eventStore, importId);
  return findImportRow(organisationId, name, pool);
}

/** The file as it was sent; of a JSON push, the file that was made of it. */
export async function submittedFile(
  organisationId: string,
  importId: string,
  sources: Sources,
): Promise<{ readonly key: string; readonly name: string }> {
  const row = await rowOf(organisationId, { kind: undefined, importId }, sources);
  if (!row) throw noImport();
  return { key: row.fileKey, name: row.fileName };
}
