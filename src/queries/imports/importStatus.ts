// An import's status is its row in `imports`.
import { noImport } from "../../domain/rejection.js";
import { isUuid } from "../../domain/uuid.js";
import type { ImportKind } from "../../events/importEvents.js";
import { requestedEvent } from "../../events/importLayout.js";
import type { Stores } from "../../ports/database.js";
import { catchUpImport } from "../../projections/importRow.js";
import { waitUntilProjected } from "../lookUps/waitUntilProjected.js";
import { findImportRow, type ImportRow, isFinished, viewOf } from "./importView.js";

interface ImportName {
  readonly kind: ImportKind | undefined;
  readonly importId: string;
}

/** The time in which the projector usually counts the rows of an import that was cancelled. */
const countedWithinMs = 3_000;

export type ReadImport = ReturnType<typeof readRow>;

/** Not `isCounted`: a command has shown the import's end before the projector has written all of its rows. */
export const readRow = (row: ImportRow) => ({ view: viewOf(row), isCounted: !isFinished(row.status) || row.counted >= row.revision });

export async function requireImport(organisationId: string, name: ImportName, stores: Stores): Promise<ReadImport> {
  const row = await rowOf(organisationId, name, stores);
  if (!row) throw noImport();
  return readRow(row);
}

/** The import, when the tables have all rows that its counts speak of. */
export function requireCountedImport(organisationId: string, name: ImportName, stores: Stores): Promise<ReadImport> {
  const look = async () => {
    const read = await requireImport(organisationId, name, stores);
    return read.isCounted ? read : undefined;
  };
  return waitUntilProjected(look, "The ledgers are behind, try again shortly", countedWithinMs);
}

/** If the process that recorded the push was killed before it wrote the row, the row is written now. */
async function rowOf(organisationId: string, name: ImportName, { pool, eventStore }: Stores): Promise<ImportRow | undefined> {
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
  stores: Stores,
): Promise<{ readonly key: string; readonly name: string }> {
  const row = await rowOf(organisationId, { kind: undefined, importId }, stores);
  if (!row) throw noImport();
  return { key: row.fileKey, name: row.fileName };
}
