// The row of an import in `imports`. The process that appends an import's event also writes this row, so that every reader sees
// immediately that the import was requested, started, cancelled or failed. The projector later writes the same from the event log, in case
// that process was killed. Only the projector counts rows, and only it writes `completed`, in one transaction with the ledgers.
import { actorOf } from "../domain/principal.js";
import { decodeOn } from "../events/codec.js";
import type { ImportEnding, ImportRequested } from "../events/importEvents.js";
import {
  countRejectedInStream,
  type RecordedImportEvent,
  readRequestedEvent,
  readStartedEvent,
  requestedRevision,
  rowsBefore,
  startedRevision,
} from "../events/importLayout.js";
import { streamOf } from "../events/streams.js";
import type { Database } from "../ports/database.js";
import type { EventStore, Revision } from "../ports/eventStore.js";
import { storableJson } from "./tables/storableJson.js";

const nothingCountedRevision: Revision = -1n;

/**
 * SQL that inserts the rows of requested imports unless they exist. `on conflict` names no index: if two processes insert the same row at
 * the same time, the second would otherwise fail on the unique `position`. The parameter's value comes from `requestedJson`.
 */
export const insertRequestedSql = (parameter: string): string => `
  insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                       file_key, file_name, file_size, file_sha256, requested_by, notes, corrects, same_file_as, submitted_at, revision, counted)
  select "importId", position, "organisationId", kind, source, "sourceDetails", 'queued', 0, 0, 0, 0,
         file ->> 'key', file ->> 'name', (file ->> 'size')::bigint, file ->> 'sha256', "requestedBy", '[]', corrects, "sameFileAs", at,
         ${requestedRevision}, ${nothingCountedRevision}
    from jsonb_to_recordset(${parameter}::jsonb) as requested ("importId" uuid, position bigint, "organisationId" text, kind text, source text,
         "sourceDetails" text, file jsonb, corrects jsonb, "sameFileAs" uuid, "requestedBy" text, at timestamptz)
  on conflict do nothing`;

export const requestedJson = (requested: readonly { readonly data: ImportRequested; readonly position: bigint }[]): string =>
  storableJson(requested.map(({ data, position }) => ({ ...data, position: String(position), requestedBy: actorOf(data.by) })));

/** SQL condition that skips a locked row: the projector locks the rows of a whole batch, and is about to write the same. */
const unlockedRowSql = (importId: string, condition: string): string =>
  `import_id = (select i.import_id from imports i where i.import_id = ${importId} and ${condition} for update skip locked)`;

/**
 * SQL that shows an import as running. It does nothing while the table shows another import of the organisation as running, or does not yet
 * show the recorded end of another one: readers never see two imports of an organisation running.
 */
export const showStartedSql = (importId: string, startedAt: string): string => `
  update imports set status = 'processing', started_at = ${startedAt}, revision = ${startedRevision}
   where ${unlockedRowSql(
     importId,
     `revision < ${startedRevision} and not exists (select from imports other where other.organisation_id = i.organisation_id
        and other.import_id <> i.import_id and (other.status = 'processing' or other.status = 'queued' and other.recorded_rows is not null))`,
   )}`;

/** SQL for an import that has ended in its stream, if the table does not show the end yet: notes how many rows the stream has. */
export const noteRecordedEndSql = (importId: string, rows: string): string =>
  `update imports set recorded_rows = ${rows} where ${unlockedRowSql(importId, "i.status in ('queued', 'processing')")}`;

/** SQL that shows an import as being cancelled until the projector has counted its rows: the row is unfinished but has an end time. */
const showCancellingSql = (importId: string, endedAt: string): string =>
  `update imports set finished_at = ${endedAt} where ${unlockedRowSql(importId, "i.status in ('queued', 'processing')")}`;

/** SQL for whether import `i` has ended in its stream, as far as the table can tell. */
export const hasEndedSql = (i: string): string => `(${i}.status not in ('queued', 'processing') or ${i}.recorded_rows is not null)`;

/** The columns that an import's end sets. A failed or cancelled import has no `counts`, since it writes nothing to the ledgers. */
export function importEndColumns({ type, data }: RecordedImportEvent<ImportEnding>) {
  const finishedAt = data.at;
  switch (type) {
    case "ImportCompleted":
      return {
        status: "completed",
        finishedAt,
        progress: 100,
        counts: data.counts,
        notes: data.notes,
        reportKey: data.report?.key,
        unusual: data.unusual && { count: data.unusualRows, kinds: data.unusual },
      };
    case "ImportFailed":
      return { status: "failed", finishedAt, progress: below100(data.progress), errorMessage: data.reason };
    case "ImportCancelled":
      return { status: "cancelled", finishedAt, progress: below100(data.progress) };
  }
}

const below100 = (progress: number) => Math.min(99, Math.max(0, Math.floor(progress)));

/** Counting this many rows takes about 0.4 s. If the projector has yet to count more, it also writes the end. */
const maxCountedRows = 20_000n;
const maxAttempts = 5;

/** Brings the row up to date with the import's stream: after an append, or if the appending process was killed before it wrote the row. */
export async function catchUpImport(database: Database, eventStore: EventStore, importId: string): Promise<void> {
  const requested = await readRequestedEvent(eventStore, importId);
  if (!requested) return;
  const json = requestedJson([{ data: requested.data, position: requested.position.commit }]);
  await database.query(insertRequestedSql("$1"), [json]);
  const stored = await eventStore.last(streamOf.import(importId));
  const last = stored && decodeOn("import", stored);
  if (!last || last.revision === requestedRevision) return;
  const started = await readStartedEvent(eventStore, importId);
  if (last.type === "ImportFailed" || last.type === "ImportCancelled") {
    if (await showEnd(database, eventStore, last, started?.data.at ?? null)) return;
    if (last.type === "ImportCancelled") await database.query(showCancellingSql("$1", "$2"), [importId, last.data.at]);
  }
  if (started) await database.query(showStartedSql("$1", "$2"), [importId, started.data.at]);
  if (last.type === "ImportCompleted") await database.query(noteRecordedEndSql("$1", "$2"), [importId, rowsBefore(last.revision)]);
}

/** Shows the end with the final counts, after reading the rows that the projector has not counted. If false, the projector has to do so. */
async function showEnd(
  database: Database,
  eventStore: EventStore,
  ending: RecordedImportEvent<"ImportFailed" | "ImportCancelled">,
  startedAt: string | null,
): Promise<boolean> {
  const { importId } = ending.data;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { rows } = await database.query<{ revision: string; counted: string; failed: number }>(
      "select revision, counted, failed from imports where import_id = $1",
      [importId],
    );
    const [row] = rows;
    if (!row || BigInt(row.revision) >= ending.revision) return true; // shown already
    const counted = BigInt(row.counted);
    if (ending.revision - counted > maxCountedRows) return false;
    const received = rowsBefore(ending.revision);
    const failed = received === 0 ? 0 : row.failed + (await countRejectedInStream(eventStore, importId, { from: nextUncounted(counted) }));
    const end = {
      ...importEndColumns(ending),
      importId,
      received,
      failed,
      startedAt,
      revision: String(ending.revision),
      counted: row.counted,
    };
    const { rowCount } = await database.query(
      `update imports set status = ended.status, started_at = ended."startedAt", finished_at = ended."finishedAt", progress = ended.progress,
              received = ended.received, processed = 0, failed = ended.failed, error_message = ended."errorMessage", revision = ended.revision,
              recorded_rows = null
         from jsonb_to_record($1) as ended ("importId" uuid, status text, "startedAt" timestamptz, "finishedAt" timestamptz, progress integer,
              received integer, failed integer, "errorMessage" text, revision bigint, counted bigint)
        where import_id = ended."importId" and imports.revision < ended.revision and imports.counted = ended.counted`,
      [storableJson(end)],
    );
    if (rowCount) return true; // otherwise the projector has counted more rows, and the next attempt reads the rest
  }
  return false;
}

const nextUncounted = (counted: Revision): Revision => (counted > startedRevision ? counted + 1n : startedRevision + 1n);
