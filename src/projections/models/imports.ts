// One row per import: status, counts and times, as the contract's Import shows them.
import type { PoolClient } from "pg";
import { importEndColumns, insertRequestedSql, requestedJson } from "../importRow.js";
import type { Projection } from "../projection.js";
import type { ImportSlice, SortedBatch } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";

const ahead = "select import_id from public.imports where revision <> counted or recorded_rows is not null";

export const imports: Projection = {
  name: "imports",
  tables: ["imports"],
  ahead,
  compared: `import_id not in (${ahead})`,

  async apply(client, batch) {
    await insertRequested(client, batch);
    await updateRest(client, batch);
  },
};

async function insertRequested(client: PoolClient, batch: SortedBatch): Promise<void> {
  const requested = batch.imports.flatMap(({ requested: event, facts }) =>
    event && facts ? [{ data: event.data, position: event.position.commit }] : [],
  );
  if (requested.length === 0) return;
  await client.query(`/* prepared */ ${insertRequestedSql("$1")}`, [requestedJson(requested)]);
}

/** Where a command has shown the import as failed or cancelled, the row has its final counts already. */
const unlessEnded = (column: string, value: string): string =>
  `${column} = case when imports.status in ('failed', 'cancelled') then imports.${column} else ${value} end`;

/** The comparison with `firstRevision` makes redelivery harmless: events that the row includes are not counted again. */
async function updateRest(client: PoolClient, batch: SortedBatch): Promise<void> {
  const rows = batch.imports.flatMap((slice) => (slice.facts && slice.firstRevision !== undefined ? [changeOf(slice)] : []));
  if (rows.length === 0) return;
  await client.query(
    `/* prepared */ update imports
        set ${unlessEnded("status", `coalesce(change.status, 'processing')`)},
            ${unlessEnded("progress", "coalesce(change.progress, imports.progress)")},
            ${unlessEnded("received", `coalesce((change.counts ->> 'received')::integer, imports.received + change.accepted + change.rejected)`)},
            ${unlessEnded("failed", `coalesce((change.counts ->> 'failed')::integer, imports.failed + change.rejected)`)},
            processed = case when change.status is not null then coalesce((change.counts ->> 'processed')::integer, 0)
                             when imports.kind = 'activities' and imports.status in ('queued', 'processing') then imports.processed + change.accepted
                             else 0 end,
            started_at = coalesce(change."startedAt", imports.started_at),
            finished_at = coalesce(change."finishedAt", imports.finished_at),
            notes = coalesce(change.notes, imports.notes),
            unusual = change.unusual,
            report_key = change."reportKey",
            error_message = coalesce(change."errorMessage", imports.error_message),
            revision = greatest(change."lastRevision", imports.revision),
            counted = change."lastRevision",
            recorded_rows = case when change.status is null then imports.recorded_rows end
       from jsonb_to_recordset($1) as change ("importId" uuid, "firstRevision" bigint, "lastRevision" bigint, accepted integer,
            rejected integer, "startedAt" timestamptz, status text, "finishedAt" timestamptz, progress integer, counts jsonb,
            notes jsonb, unusual jsonb, "reportKey" text, "errorMessage" text)
      where imports.import_id = change."importId" and imports.counted < change."firstRevision"`,
    [storableJson(rows)],
  );
}

const changeOf = (slice: ImportSlice) => ({
  importId: slice.importId,
  firstRevision: String(slice.firstRevision),
  lastRevision: String(slice.lastRevision),
  accepted: slice.accepted.length,
  rejected: slice.rejected.length,
  ...(slice.started && { startedAt: slice.started.data.at }),
  ...(slice.ended && importEndColumns(slice.ended)),
});
