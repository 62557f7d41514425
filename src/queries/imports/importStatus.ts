// Reads the status of an import from its row in `imports`.
import { importNotFound } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { ImportKind } from "../../events/importEvents.js";
import { readRequestedEvent } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import { catchUpImport } from "../../projections/importRow.js";
import { waitUntilProjected } from "../lookUps/waitUntilProjected.js";
import { findImportRow, type ImportRow, isEnded, viewOf } from "./importView.js";

interface ImportKey {
  readonly kind: ImportKind | undefined;
  readonly importId: string;
}

/** Within this time the projector usually counts the rows of a cancelled import. */
const maxCountingMs = 3_000;

export type ReadImport = ReturnType<typeof importFromRow>;

/** `isCounted` is false if a command has shown the import's end but the projector has not yet written all of its rows. */
export const importFromRow = (row: ImportRow) => ({ view: viewOf(row), isCounted: !isEnded(row.status) || row.counted >= row.revision });

export async function requireImport(organisationId: string, name: ImportKey, stores: Stores): Promise<ReadImport> {
  const row = await findOrWriteRow(organisationId, name, stores);
  if (!row) throw importNotFound();
  return importFromRow(row);
}

/** Waits until the tables have all rows that the import's counts include. */
export function requireCountedImport(organisationId: string, name: ImportKey, stores: Stores): Promise<ReadImport> {
  const findCounted = async () => {
    const found = await requireImport(organisationId, name, stores);
    return found.isCounted ? found : undefined;
  };
  return waitUntilProjected(findCounted, "The ledgers are behind, try again shortly", maxCountingMs);
}

/** Finds the import's row. Writes it first if the process that recorded the push was killed before it wrote the row. */
async function findOrWriteRow(organisationId: string, name: ImportKey, { pool, eventStore }: Stores): Promise<ImportRow | undefined> {
  const { importId, kind } = name;
  if (!isUuid(importId)) return undefined;
  const row = await findImportRow(organisationId, name, pool);
  if (row) return row;
  const requested = (await readRequestedEvent(eventStore, importId))?.data;
  if (requested?.organisationId !== organisationId || (kind !== undefined && requested.kind !== kind)) return undefined;
  await catchUpImport(pool, eventStore, importId);
  return findImportRow(organisationId, name, pool);
}

/** The file as it was sent; for a JSON push, the file that was made from it. */
export async function submittedFile(
  organisationId: string,
  importId: string,
  stores: Stores,
): Promise<{ readonly key: string; readonly name: string }> {
  const row = await findOrWriteRow(organisationId, { kind: undefined, importId }, stores);
  if (!row) throw importNotFound();
  return { key: row.fileKey, name: row.fileName };
}
