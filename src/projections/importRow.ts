// The row of an import in `imports`. The process that appends an import's event writes the row itself, so that every reader knows of it at once:
// that the import was requested, has started, was cancelled or has failed. The projector writes the same from the event log, which changes something
// only if that process was killed. Only the projector counts rows, and only it writes `completed`, in one transaction with the ledgers.
import { actorOf } from "../domain/principal.js";
import { decodeOn } from "../events/codec.js";
import type { ImportEnding, ImportRequested } from "../events/importEvents.js";
import {
  countRejected,
  type ImportEvent,
  requestedEvent,
  requestedRevision,
  rowsBefore,
  startedEvent,
  startedRevision,
} from "../events/importLayout.js";
import { streamOf } from "../events/streams.js";
import type { Database } from "../ports/database.js";
import type { EventStore, Revision } from "../ports/eventStore.js";
import { storableJson } from "./tables/storableJson.js";

const nothingCounted: Revision = -1n;

/**
 * SQL that inserts the rows of imports that were requested, unless they are there. It names no index to compare: of two processes that insert the
 * same row at once, the second would otherwise fail at the unique `position`. The parameter is made by `requestedJson`.
 */
export const insertRequestedSql = (parameter: string): string => `
  insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                       file_key, file_name, file_size, file_sha256, requested_by, notes, corrects, same_file_as, submitted_at, revision, counted)
  select "importId", position, "organisationId", kind, source, "sourceDetails", 'queued', 0, 0, 0, 0,
         file ->> 'key', file ->> 'name', (file ->> 'size')::bigint, file ->> 'sha256', "requestedBy", '[]', corrects, "sameFileAs", at,
         ${requestedRevision}, ${nothingCounted}
    from jsonb_to_recordset(${parameter}::jsonb) as requested ("importId" uuid, position bigint, "organisationId" text, kind text, source text,
         "sourceDetails" text, file jsonb, corrects jsonb, "sameFileAs" uuid, "requestedBy" text, at timestamptz)
  on conflict do nothing`;

export const requestedJson = (requested: readonly { readonly data: ImportRequested; readonly position: bigint }[]): string =>
  storableJson(requested.map(({ data, position }) => ({ ...data, position: String(position), requestedBy: actorOf(data.by) })));

/** Skips a row that is locked: the projector locks the rows of a whole batch, and is about to write the same. */
const unlocked = (importId: string, condition: string): string =>
  `import_id = (select i.import_id from imports i where i.import_id = ${importId} and ${condition} for update skip locked)`;

/**
 * SQL that shows an import as running, unless another one of its organisation is shown so, or has ended and the table does not show it yet:
 * nobody is to see two running.
 */
export const showStartedSql = (importId: string, startedAt: string): string => `
  update imports set status = 'processing', started_at = ${startedAt}, revision = ${startedRevision}
   where ${unlocked(
     importId,
     `revision < ${startedRevision} and not exists (select from imports other where other.organisation_id = i.organisation_id
        and other.import_id <> i.import_id and (other.status = 'processing' or other.status = 'queued' and other.recorded_rows is not null))`,
   )}`;

/** SQL that notes that the end of an import is recorded, where the table cannot show it yet. */
export const noteRecordedSql = (importId: string, rows: string): string =>
  `update imports set recorded_rows = ${rows} where ${unlocked(importId, "i.status in ('queued', 'processing')")}`;

/** SQL that shows an import as being cancelled until the projector has counted its rows: it has an end and is shown as running. */
const showCancellingSql = (importId: string, endedAt: string): string =>
  `update imports set finished_at = ${endedAt} where ${unlocked(importId, "i.status in ('queued', 'processing')")}`;

/** SQL for whether import `i` has ended in its stream, as far as the table knows. */
export const hasEndedSql = (i: string): string => `(${i}.status not in ('queued', 'processing') or ${i}.recorded_rows is not null)`;

/** What the table has of an import's end. A failed or cancelled import has no `counts`: it has written nothing. */
export function importEndColumns({ type, data }: ImportEvent<ImportEnding>) {
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

/** Counting this many rows takes about 0.4 s. If more are not counted yet, the projector shows the end. */
const countableRows = 20_000n;
const attempts = 5;

/** Writes what the import's stream says: after an append, or where the process that appended was killed before it wrote the row. */
export async function catchUpImport(database: Database, eventStore: EventStore, importId: string): Promise<void> {
  const requested = await requestedEvent(eventStore, importId);
  if (!requested) return;
  const json = requestedJson([{ data: requested.data, position: requested.position.commit }]);
  await database.query(insertRequestedSql("$1"), [json]);
  const stored = await eventStore.last(streamOf.import(importId));
  const last = stored && decodeOn("import", stored);
  if (!last || last.revision === requestedRevision) return;
  const started = await startedEvent(eventStore, importId);
  if (last.type === "ImportFailed" || last.type === "ImportCancelled") {
    if (await showEnd(database, eventStore, last, started?.data.at ?? null)) return;
    if (last.type === "ImportCancelled") await database.query(showCancellingSql("$1", "$2"), [importId, last.data.at]);
  }
  if (started) await database.query(showStartedSql("$1", "$2"), [importId, started.data.at]);
  if (last.type === "ImportCompleted") await database.query(noteRecordedSql("$1", "$2"), [importId, rowsBefore(last.revision)]);
}

/** Shows the end with the final counts: rows that the projector has not counted are counted in the stream. False if these are too many. */
async function showEnd(
  database: Database,
  eventStore: EventStore,
  ended: ImportEvent<"ImportFailed" | "ImportCancelled">,
  startedAt: string | null,
): Promise<boolean> {
  const { importId } = ended.data;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { rows } = await database.query<{ revision: string; counted: string; failed: number }>(
      "select revision, counted, failed from imports where import_id = $1",
      [importId],
    );
    const [known] = rows;
    if (!known || BigInt(known.revision) >= ended.revision) return true;
    const counted = BigInt(known.counted);
    if (ended.revision - counted > countableRows) return false;
    const received = rowsBefore(ended.revision);
    const failed = received === 0 ? 0 : known.failed + (await countRejected(eventStore, importId, { from: afterCounted(counted) }));
    const end = {
      ...importEndColumns(ended),
      importId,
      received,
      failed,
      startedAt,
      revision: String(ended.revision),
      counted: known.counted,
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
    if (rowCount) return true; // else the projector has counted more in between
  }
  return false;
}

const afterCounted = (counted: Revision): Revision => (counted > startedRevision ? counted + 1n : startedRevision + 1n);
