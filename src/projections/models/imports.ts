// One row per import: status, counts and times, as the contract's Import shows them.
import type { PoolClient } from "pg";
import { importEndColumns, insertRequestedSql, requestedJson } from "../importRow.js";
import type { Projection } from "../projection.js";
import type { ImportSlice, SortedBatch } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";

const aheadImportsSql = "select import_id from public.imports where revision <> counted or recorded_rows is not null";

export const imports: Projection = {
  name: "imports",
  tables: ["imports"],
  aheadImportsSql,
  comparedRowsSql: `import_id not in (${aheadImportsSql})`,

  async apply(client, batch) {
    await insertRequested(client, batch);
    await updateImports(client, batch);
  },
};

async function insertRequested(client: PoolClient, batch: SortedBatch): Promise<void> {
  const requested = batch.imports.flatMap(({ request: event, facts }) =>
    event && facts ? [{ data: event.data, position: event.position.commit }] : [],
  );
  if (requested.length === 0) return;
  await client.query(`/* prepared */ ${insertRequestedSql("$1")}`, [requestedJson(requested)]);
}

/** SQL assignment that keeps the column if a command has shown the import as failed or cancelled: the row then has its final counts. */
const unlessEndedSql = (column: string, value: string): string =>
  `${column} = case when imports.status in ('failed', 'cancelled') then imports.${column} else ${value} end`;

/** The comparison with `firstRevision` makes redelivery harmless: rows that are already counted are not counted again. */
async function updateImports(client: PoolClient, batch: SortedBatch): Promise<void> {
  const rows = batch.imports.flatMap((slice) => (slice.facts && slice.firstRevision !== undefined ? [changeOf(slice)] : []));
  if (rows.length === 0) return;
  await client.query(
    `/* prepared */ update imports
        set ${unlessEndedSql("status", `coalesce(change.status, 'processing')`)},
            ${unlessEndedSql("progress", "coalesce(change.progress, imports.progress)")},
            ${unlessEndedSql("received", `coalesce((change.counts ->> 'received')::integer, imports.received + change.accepted + change.rejected)`)},
            ${unlessEndedSql("failed", `coalesce((change.counts ->> 'failed')::integer, imports.failed + change.rejected)`)},
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
  accepted: slice.acceptedRows.length,
  rejected: slice.rejectedRows.length,
  ...(slice.start && { startedAt: slice.start.data.at }),
  ...(slice.ending && importEndColumns(slice.ending)),
});
