// One row per import: status, counts and times, as the contract's Import shows them.
import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import type { ImportEnding } from "../../events/importEvents.js";
import type { ImportEvent } from "../../events/importLayout.js";
import { storableJson } from "../copyRows.js";
import type { Projection } from "../projection.js";
import type { ImportSlice, SortedBatch } from "../sortedBatch.js";

export const imports: Projection = {
  name: "imports",
  tables: ["imports"],

  async apply(client, batch) {
    await insertRequested(client, batch);
    await updateRest(client, batch);
  },
};

async function insertRequested(client: PoolClient, batch: SortedBatch): Promise<void> {
  const rows = batch.imports.flatMap(({ requested, facts }) => {
    if (!requested || !facts) return [];
    const { importId, organisationId, kind, source, sourceDetails, file, corrects, sameFileAs, by, at } = requested.data;
    const row = { importId, organisationId, kind, source, sourceDetails, file, corrects, sameFileAs, at };
    return [{ ...row, position: facts.position, requestedBy: actorOf(by) }];
  });
  if (rows.length === 0) return;
  await client.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                          file_key, file_name, file_size, file_sha256, requested_by, notes, corrects, same_file_as, submitted_at, revision)
     select "importId", position, "organisationId", kind, source, "sourceDetails", 'queued', 0, 0, 0, 0,
            file ->> 'key', file ->> 'name', (file ->> 'size')::bigint, file ->> 'sha256', "requestedBy", '[]', corrects, "sameFileAs", at, 0
       from jsonb_to_recordset($1) as requested ("importId" uuid, position bigint, "organisationId" text, kind text, source text,
            "sourceDetails" text, file jsonb, corrects jsonb, "sameFileAs" uuid, "requestedBy" text, at timestamptz)
     on conflict do nothing`,
    [storableJson(rows)],
  );
}

/** The comparison with `firstRevision` makes redelivery harmless: events that the row includes are not counted again. */
async function updateRest(client: PoolClient, batch: SortedBatch): Promise<void> {
  const rows = batch.imports.flatMap((slice) => (slice.facts && slice.firstRevision !== undefined ? [changeOf(slice)] : []));
  if (rows.length === 0) return;
  await client.query(
    `update imports
        set status = coalesce(change.status, 'processing'),
            started_at = coalesce(change."startedAt", imports.started_at),
            finished_at = change."finishedAt",
            progress = coalesce(change.progress, imports.progress),
            received = coalesce((change.counts ->> 'received')::integer, imports.received + change.accepted + change.rejected),
            failed = coalesce((change.counts ->> 'failed')::integer, imports.failed + change.rejected),
            processed = case when change.status is not null then coalesce((change.counts ->> 'processed')::integer, 0)
                             when imports.kind = 'activities' then imports.processed + change.accepted
                             else 0 end,
            notes = coalesce(change.notes, imports.notes),
            unusual = change.unusual,
            report_key = change."reportKey",
            error_message = change."errorMessage",
            revision = change."lastRevision"
       from jsonb_to_recordset($1) as change ("importId" uuid, "firstRevision" bigint, "lastRevision" bigint, accepted integer,
            rejected integer, "startedAt" timestamptz, status text, "finishedAt" timestamptz, progress integer, counts jsonb,
            notes jsonb, unusual jsonb, "reportKey" text, "errorMessage" text)
      where imports.import_id = change."importId" and imports.revision < change."firstRevision"`,
    [storableJson(rows)],
  );
}

function changeOf(slice: ImportSlice) {
  return {
    importId: slice.importId,
    firstRevision: String(slice.firstRevision),
    lastRevision: String(slice.lastRevision),
    accepted: slice.accepted.length,
    rejected: slice.rejected.length,
    ...(slice.started && { startedAt: slice.started.data.at }),
    ...(slice.ended && outcomeOf(slice.ended)),
  };
}

/** A failed or cancelled import has no `counts`: it keeps its counts of received and failed rows, and `processed` is 0. */
function outcomeOf({ type, data }: ImportEvent<ImportEnding>) {
  switch (type) {
    case "ImportCompleted":
      return {
        status: "completed",
        finishedAt: data.at,
        progress: 100,
        counts: data.counts,
        notes: data.notes,
        unusual: data.unusual && { count: data.unusualRows, kinds: data.unusual },
        reportKey: data.report?.key,
      };
    case "ImportFailed":
      return { status: "failed", finishedAt: data.at, progress: below100(data.progress), errorMessage: data.reason };
    case "ImportCancelled":
      return { status: "cancelled", finishedAt: data.at, progress: below100(data.progress) };
  }
}

const below100 = (progress: number) => Math.min(99, Math.max(0, Math.floor(progress)));
