// An import's status, from the table, or from the stream where the table may be behind.
import type { Pool } from "pg";
import { isUuid } from "../../domain/uuid.js";
import type { ImportKind } from "../../events/importEvents.js";
import { requestedEvent } from "../../events/importLayout.js";
import { StoreUnavailable } from "../../portErrors.js";
import type { EventStore } from "../../ports/eventStore.js";
import { findImportRow, type ImportRow, isFinished, viewOf } from "./importView.js";
import { type Base, isShownAsEnded, requestedBase, type StreamView, withStream } from "./streamView.js";

export interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface ImportName {
  readonly kind: ImportKind | undefined;
  readonly importId: string;
}

export interface ReadImport extends StreamView {
  /** Commit position of ImportRequested. */
  readonly position: bigint;
}

export async function readImport(organisationId: string, name: ImportName, sources: Sources): Promise<ReadImport | undefined> {
  if (!isUuid(name.importId)) return undefined;
  const row = await findImportRow(organisationId, name, sources.pool);
  if (row) return readRow(row, sources);
  const base = await requestedBase(organisationId, name, sources.eventStore);
  return base && fromStream(organisationId, base, sources);
}

/** The present status of an import that is in the table. */
export async function readRow(row: ImportRow, sources: Sources): Promise<ReadImport> {
  const fromTable = rowAsItIs(row);
  if (!mayBeBehind(row)) return fromTable;
  const base = { view: fromTable.view, position: row.position, revision: row.revision, rejected: row.failed };
  return fromStream(row.organisationId, base, sources).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return fromTable; // the table's status is older but was true
    throw error;
  });
}

export const rowAsItIs = (row: ImportRow): ReadImport => ({ view: viewOf(row), position: row.position, unprojected: undefined });

/** True when the queue place is gone, a cancellation was requested, or a worker has started it: then the stream may have more events than the table. */
export function mayBeBehind({ status, queueProgress, cancelRequested, started }: ImportRow): boolean {
  if (isFinished(status)) return false;
  return queueProgress === null || cancelRequested === true || (status === "queued" && started === true);
}

/**
 * An organisation runs one import at a time, and callers must never see two running. So an import that the table shows as queued is shown as
 * running only when no earlier one is shown as running. That is checked after the stream was read: an import that ended before this one
 * started is in ended_imports by then.
 */
async function fromStream(organisationId: string, base: Base, sources: Sources): Promise<ReadImport> {
  const { position, view } = base;
  const read = await withStream(base, sources.eventStore);
  const hasJustBegun = view.status === "queued" && read.view.status === "processing";
  const isEarly = hasJustBegun && (await anotherIsRunning(organisationId, view.importId, sources));
  return isEarly ? { view, position, unprojected: undefined } : { ...read, position };
}

const mostLooks = 20;

/** Whether an import that ran before this one is still shown as running. */
async function anotherIsRunning(organisationId: string, importId: string, { pool, eventStore }: Sources): Promise<boolean> {
  const { rows } = await pool.query<{ importId: string; revision: string }>(
    `select import_id as "importId", revision::text from imports
      where organisation_id = $1 and status = 'processing' and import_id <> $2
     union
     select e.import_id, coalesce(i.revision, 0)::text from ended_imports e left join imports i on i.import_id = e.import_id
      where e.organisation_id = $1 and e.import_id <> $2 and coalesce(i.status, 'queued') in ('queued', 'processing')
        and not exists (select from ended_imports own where own.import_id = $2 and own.number < e.number)
     limit $3`,
    [organisationId, importId, mostLooks],
  );
  if (rows.length === mostLooks) return true;
  for (const row of rows) if (!(await isShownAsEnded(row.importId, BigInt(row.revision), eventStore))) return true;
  return false;
}

/** The file as it was sent; of a JSON push, the file that was made of it. Undefined for an unknown import. */
export async function submittedFile(
  organisationId: string,
  importId: string,
  { pool, eventStore }: Sources,
): Promise<{ readonly key: string; readonly name: string } | undefined> {
  if (!isUuid(importId)) return undefined;
  const row = await findImportRow(organisationId, { kind: undefined, importId }, pool);
  if (row) return { key: row.fileKey, name: row.fileName };
  const requested = await requestedEvent(eventStore, importId);
  return requested?.data.organisationId === organisationId ? requested.data.file : undefined;
}
