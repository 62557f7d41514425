// The states of rejected rows. They follow from ImportRequested of a correcting import, from the corrections streams (claims, dismissals)
// and from the end of a correcting import. Whether a later import has written the same shipment is not kept here: queries ask the ledger.
import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import type { RecordedOn } from "../../events/codec.js";
import type { RowsClaimed } from "../../events/correctionEvents.js";
import { streamPrefix } from "../../events/streams.js";
import { storableJson } from "../copyRows.js";
import { readable, type SkipEvent, type SortedBatch } from "../sortedBatch.js";
import { countCompleted, moveBetweenStates, statesOf, touchedRows } from "./rejectionGroups.js";

export const correctionTables = ["row_corrections", "finished_rows", "withdrawn_imports", "rejection_groups"] as const;

export async function applyCorrections(client: PoolClient, batch: SortedBatch, skip: SkipEvent): Promise<void> {
  const events = batch.events.flatMap((stored) =>
    stored.stream.startsWith(streamPrefix.corrections) ? (readable("corrections", stored, skip) ?? []) : [],
  );
  const rows = await touchedRows(client, batch, events);
  const before = await statesOf(client, rows);
  await insertSubmitted(client, batch);
  for (const event of events) await apply(client, event);
  await endCorrections(client, batch);
  await moveBetweenStates(client, rows, before);
  await countCompleted(client, batch);
}

async function insertSubmitted(client: PoolClient, { imports }: SortedBatch): Promise<void> {
  for (const { requested } of imports) {
    const corrects = requested?.data.corrects;
    if (!requested || !corrects) continue;
    await client.query(
      `insert into row_corrections (import_id, "row", correction_id, correction_row, state)
       select $1, "row", $2, number, 'submitted' from unnest($3::integer[]) with ordinality as corrected ("row", number) on conflict do nothing`,
      [corrects.importId, requested.data.importId, corrects.rows],
    );
  }
}

async function apply(client: PoolClient, { type, data }: RecordedOn<"corrections">): Promise<void> {
  switch (type) {
    case "RowsClaimed":
      await applyClaim(client, data);
      return;
    case "RowsDismissed":
      await client.query(
        `insert into finished_rows (import_id, "row", state, note, finished_by)
         select $1, "row", 'dismissed', said ->> 'note', $4 from unnest($2::integer[]) as "row", (select $3::jsonb as said) as says
         on conflict do nothing`,
        [data.importId, data.rows, storableJson({ note: data.note }), actorOf(data.by)],
      );
      return;
    case "RowsReopened":
      await client.query(`delete from finished_rows where import_id = $1 and "row" = any($2::integer[])`, [data.importId, data.rows]);
      return;
  }
  data satisfies never;
}

/** A refused row is also a rejected row of the correcting import. There it counts as finished; else it could be corrected a second time. */
async function applyClaim(client: PoolClient, { importId, correction, rows, refused, by }: RowsClaimed): Promise<void> {
  await client.query(
    `update row_corrections set state = 'claimed'
      where import_id = $1 and correction_id = $2 and "row" = any($3::integer[]) and state = 'submitted'`,
    [importId, correction, rows],
  );
  if (refused.length === 0) return;
  const finished = refused.map(({ correctionRow, why, importId: otherId }) => ({ row: correctionRow, state: finishedAs[why], otherId }));
  await client.query(
    `insert into finished_rows (import_id, "row", state, other_id, finished_by)
     select $1, "row", state, "otherId", $3 from jsonb_to_recordset($2) as finished ("row" integer, state text, "otherId" uuid) on conflict do nothing`,
    [correction, storableJson(finished), actorOf(by)],
  );
  await client.query(`delete from row_corrections where import_id = $1 and correction_id = $2 and "row" = any($3::integer[])`, [
    importId,
    correction,
    refused.map(({ row }) => row),
  ]);
}

const finishedAs = {
  claimed: "corrected",
  dismissed: "dismissed",
  superseded: "superseded",
  reversed: "withdrawn",
  withdrawn: "withdrawn",
} as const;

/** A correction that failed or was cancelled leaves its rows as they were before it. */
async function endCorrections(client: PoolClient, { endings }: SortedBatch): Promise<void> {
  const idsOf = (completed: boolean) =>
    endings.flatMap(({ importId, ended }) => ((ended?.type === "ImportCompleted") === completed ? [importId] : []));
  const [completed, abandoned] = [idsOf(true), idsOf(false)];
  if (completed.length > 0)
    await client.query("update row_corrections set state = 'corrected' where correction_id = any($1::uuid[])", [completed]);
  if (abandoned.length > 0) await client.query("delete from row_corrections where correction_id = any($1::uuid[])", [abandoned]);
}
