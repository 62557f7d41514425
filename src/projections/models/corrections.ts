// The states of corrected and rejected rows. They follow from ImportRequested and the end of a correcting import, from the corrections
// streams (claims, dismissals) and from reversals, applied in the order of the event log. Whether a later import has written the same
// shipment is not stored here: queries find that in the ledger.
import type { PoolClient } from "pg";
import { type ReversedRows, reversedRows, unreversedClaim } from "../../domain/claims.js";
import { actorOf } from "../../domain/principal.js";
import type { RecordedEventOn } from "../../events/codec.js";
import type { RowsReversed } from "../../events/correctionEvents.js";
import type { ImportEnding, ImportRequested } from "../../events/importEvents.js";
import type { RecordedImportEvent } from "../../events/importLayout.js";
import { streamPrefix } from "../../events/streams.js";
import { isAfter } from "../../ports/eventStore.js";
import { decodeOrSkip, type SkipEvent, type SortedBatch } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";
import { countCompleted, countStates } from "./rejectionGroups.js";
import { multirangeText, reversalsIn } from "./reversals.js";

export const correctionTables = ["row_corrections", "finished_rows", "withdrawn_imports", "rejection_groups"] as const;

export async function applyCorrections(client: PoolClient, batch: SortedBatch, skip: SkipEvent): Promise<void> {
  const changed: ChangedImports = new Set(await countCompleted(client, batch));
  for (const event of stateEventsIn(batch, skip)) await applyStateEvent(client, event, changed);
  await countStates(client, [...changed]);
}

/** The ids of the imports with rejected rows whose states the batch changes. */
type ChangedImports = Set<string>;

interface RejectedRowRef {
  readonly importId: string;
  readonly row: number;
}

type StateEvent = RecordedImportEvent<"ImportRequested" | ImportEnding> | RecordedEventOn<"corrections"> | RecordedEventOn<"reversals">;

/** The events that may change a row's state, in the order of the event log. */
function stateEventsIn(batch: SortedBatch, skip: SkipEvent): StateEvent[] {
  const requested = batch.imports.flatMap(({ request: event }) => (event?.data.corrects ? [event] : []));
  const corrections = batch.events.flatMap((stored) =>
    stored.stream.startsWith(streamPrefix.corrections) ? (decodeOrSkip("corrections", stored, skip) ?? []) : [],
  );
  const ended = batch.endedSlices.flatMap(({ facts, ending: event }) => (event && facts?.isCorrection ? [event] : []));
  const events = [...requested, ...corrections, ...reversalsIn(batch, skip), ...ended];
  return events.sort((one, other) => (isAfter(one.position, other.position) ? 1 : -1));
}

async function applyStateEvent(client: PoolClient, event: StateEvent, changed: ChangedImports): Promise<void> {
  switch (event.type) {
    case "ImportRequested":
      return insertSubmitted(client, event.data, changed);
    case "RowsClaimed":
      return applyClaim(client, event, changed);
    case "RowsDismissed":
      return dismissRows(client, event.data, changed);
    case "RowsReopened":
      return reopenRows(client, event.data, changed);
    case "ReversalDecided":
      return; // RowsReversed follows
    case "RowsReversed":
      return applyReversal(client, event.data, changed);
    case "ImportCompleted":
      return completeCorrection(client, event.data.importId, changed);
    case "ImportFailed":
    case "ImportCancelled":
      return abandonCorrection(client, event.data.importId, changed);
  }
  event satisfies never;
}

async function insertSubmitted(client: PoolClient, { importId, corrects }: ImportRequested, changed: ChangedImports): Promise<void> {
  if (!corrects) return;
  changed.add(corrects.importId);
  await client.query(
    `insert into row_corrections (import_id, "row", correction_id, correction_row, state)
     select $1, "row", $2, number, 'submitted' from unnest($3::integer[]) with ordinality as corrected ("row", number) on conflict do nothing`,
    [corrects.importId, importId, corrects.rows],
  );
}

type Claim = Extract<RecordedEventOn<"corrections">, { type: "RowsClaimed" }>;

/** A refused row is also a rejected row of the correcting import. There it is closed: otherwise it could be corrected a second time. */
async function applyClaim(client: PoolClient, { data, position }: Claim, changed: ChangedImports): Promise<void> {
  const { importId, correction, rows, by } = data;
  await client.query(
    `update row_corrections set state = 'claimed'
      where import_id = $1 and correction_id = $2 and "row" = any($3::integer[]) and state = 'submitted'`,
    [importId, correction, rows],
  );
  // A reversal may be recorded just before the claim, unseen by the worker that claims. That worker checks again afterwards too.
  const { refused, ...claim } = unreversedClaim(data, await reversalsBefore(client, importId, position.commit), position.commit);
  changed.add(importId);
  // The last claim wins: an accepted activity can be claimed again after its correction was rejected and dismissed.
  await client.query(
    `delete from row_corrections where import_id = $1 and correction_id <> $2 and "row" = any($3::integer[]) and state = 'corrected'`,
    [importId, correction, claim.rows],
  );
  if (refused.length === 0) return;
  changed.add(correction);
  const refusedRows = refused.map(({ row }) => ({ importId, row }));
  const closedRows = refused.map(({ correctionRow: row, why, importId: otherId }) => ({ row, state: closedStates[why], otherId }));
  await client.query(
    `insert into finished_rows (import_id, "row", state, other_id, finished_by)
     select $1, "row", state, "otherId", $3 from jsonb_to_recordset($2) as closed ("row" integer, state text, "otherId" uuid) on conflict do nothing`,
    [correction, storableJson(closedRows), actorOf(by)],
  );
  await client.query(`delete from row_corrections where import_id = $1 and correction_id = $2 and "row" = any($3::integer[])`, [
    importId,
    correction,
    refusedRows.map(({ row }) => row),
  ]);
  await endReversedCorrections(client, refusedRows, changed);
}

const closedStates = {
  claimed: "corrected",
  dismissed: "dismissed",
  superseded: "superseded",
  reversed: "withdrawn",
  withdrawn: "withdrawn",
} as const;

/** The import's reversals before this position of the event log. The table `reversals` may already have later ones. */
async function reversalsBefore(client: PoolClient, importId: string, position: bigint): Promise<ReversedRows> {
  const { rows } = await client.query<{ position: string; rows: [number, number][] | null }>(
    `select position::text, (select json_agg(json_build_array(lower(r), upper(r) - 1) order by r) from unnest(v.rows) as r) as rows
       from reversals v where import_id = $1 and position < $2 order by v.position`,
    [importId, position],
  );
  return reversedRows(rows.map((each) => ({ position: BigInt(each.position), rows: each.rows ?? "all" })));
}

type Dismissal = Extract<RecordedEventOn<"corrections">, { type: "RowsDismissed" }>["data"];
type Reopening = Extract<RecordedEventOn<"corrections">, { type: "RowsReopened" }>["data"];

/** SQL condition: rows that are withdrawn with their import stay withdrawn, whatever follows the reversal in the event log. */
const notWithdrawn = "not exists (select from withdrawn_imports where import_id = $1)";

async function dismissRows(client: PoolClient, { importId, rows, note, by }: Dismissal, changed: ChangedImports): Promise<void> {
  changed.add(importId);
  await client.query(
    `insert into finished_rows (import_id, "row", state, note, finished_by)
     select $1, "row", 'dismissed', data ->> 'note', $4 from unnest($2::integer[]) as "row", (select $3::jsonb as data) as dismissal
      where ${notWithdrawn}
     on conflict do nothing`,
    [importId, rows, storableJson({ note }), actorOf(by)],
  );
}

async function reopenRows(client: PoolClient, { importId, rows }: Reopening, changed: ChangedImports): Promise<void> {
  changed.add(importId);
  await client.query(`delete from finished_rows where import_id = $1 and "row" = any($2::integer[]) and ${notWithdrawn}`, [importId, rows]);
}

/** Reopens the rows of other imports that the reversed rows had corrected, unless a reversed row is itself corrected or dismissed. */
async function applyReversal(client: PoolClient, { importId, rows }: RowsReversed, changed: ChangedImports): Promise<void> {
  const isAll = rows === "all";
  if (isAll) {
    await client.query("insert into withdrawn_imports (import_id) values ($1) on conflict do nothing", [importId]);
    changed.add(importId);
  }
  const reversedRefs = await client.query<RejectedRowRef>(
    `update row_corrections set reversed = true
      where correction_id = $1 and ($2::int4multirange is null or correction_row <@ $2) returning correction_id as "importId", correction_row as "row"`,
    [importId, isAll ? null : multirangeText(rows)],
  );
  await endReversedCorrections(client, reversedRefs.rows, changed);
}

async function completeCorrection(client: PoolClient, correctionId: string, changed: ChangedImports): Promise<void> {
  const { rows } = await client.query<RejectedRowRef>(
    `update row_corrections set state = 'corrected' where correction_id = $1 returning import_id as "importId", "row"`,
    [correctionId],
  );
  for (const { importId } of rows) changed.add(importId);
}

/** A correcting import that failed or was cancelled leaves the rows as they were before it. */
async function abandonCorrection(client: PoolClient, correctionId: string, changed: ChangedImports): Promise<void> {
  const { rows } = await client.query<RejectedRowRef>(
    `delete from row_corrections where correction_id = $1 returning import_id as "importId", "row"`,
    [correctionId],
  );
  for (const { importId } of rows) changed.add(importId);
  await endReversedCorrections(client, rows, changed);
}

/**
 * Deletes the corrections that these rows made, for each row that is reversed and neither corrected itself nor dismissed. The rows that it
 * had corrected may be reversed too, so the same is done for them, and so on along the chain.
 */
async function endReversedCorrections(client: PoolClient, rows: readonly RejectedRowRef[], changed: ChangedImports): Promise<void> {
  for (let freedRows = rows; freedRows.length > 0; ) {
    const ended = await client.query<RejectedRowRef & { correction: string }>(
      `select c.import_id as "importId", c."row", c.correction_id as correction
         from (select distinct * from unnest($1::uuid[], $2::integer[])) as r (import_id, "row")
         join row_corrections c on c.correction_id = r.import_id and c.correction_row = r."row" and c.reversed
        where not exists (select from row_corrections own where own.import_id = r.import_id and own."row" = r."row")
          and not exists (select from finished_rows f where f.import_id = r.import_id and f."row" = r."row")`,
      [freedRows.map(({ importId }) => importId), freedRows.map(({ row }) => row)],
    );
    if (ended.rows.length === 0) return;
    for (const { importId } of ended.rows) changed.add(importId);
    await client.query(
      `delete from row_corrections c using unnest($1::uuid[], $2::integer[], $3::uuid[]) as f (import_id, "row", correction_id)
        where c.import_id = f.import_id and c."row" = f."row" and c.correction_id = f.correction_id`,
      [ended.rows.map(({ importId }) => importId), ended.rows.map(({ row }) => row), ended.rows.map(({ correction }) => correction)],
    );
    freedRows = ended.rows;
  }
}
