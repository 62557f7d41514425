// The accepted activities, and their totals. Rows are written as they are recorded. Queries join imports, so that only rows of completed ones show.
import type { PoolClient } from "pg";
import { toFullText } from "../../domain/exactDecimal.js";
import { fieldsOf } from "../../domain/imports/fields.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, copyText, deleteRows } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { type CompletedInBatch, endingsOf, type ImportFacts } from "../sortedBatch.js";
import { activitiesShape, halfHourSql, instantSql, longestKey } from "../tables/activities.js";
import { storableJson } from "../tables/storableJson.js";
import { addCodesSql } from "./activityCodes.js";
import { type ImportContents, writeContents, writeContentsOfRows } from "./activityContents.js";
import { updateCountedActivities } from "./countedActivities.js";
import { reversalsIn } from "./reversals.js";

const fields = fieldsOf("activity");

const target = {
  table: "activities",
  columns: ["import_position", '"row"', ...fields.map(({ ledgerColumn }) => ledgerColumn)].join(", "),
};

export const activities: Projection = {
  name: "activities",
  tables: [
    "activities",
    "activity_totals",
    "activity_groups",
    "activity_codes",
    "activity_contents",
    "activity_corrections",
    "activity_changes",
    "uncounted_activities",
    "uncounted_imports",
  ],
  shape: activitiesShape,

  async apply(client, batch, options) {
    let lines = "";
    for (const slice of batch.imports) {
      const { facts, accepted } = slice;
      if (facts?.kind !== "activities") continue;
      for (const row of accepted) lines += line(facts.position, row);
      if (options.keepExisting)
        facts.totals?.giveUp(); // one of the rows may be recorded twice
      else facts.totals?.add(slice);
    }
    await copyRows(client, target, lines, options);
    const { completed, abandoned } = endingsOf(batch, "activities");
    await sumCompleted(client, completed);
    await deleteRows(client, "activities", abandoned);
    await updateCountedActivities(client, completed, reversalsIn(batch, options.skip));
  },
};

function line(position: string, { row, values }: RowAccepted): string {
  let text = `${position}\t${row}`;
  for (const { name } of fields) text += `\t${copyText(values[name])}`;
  return `${text}\n`;
}

const group = "customer_id, warehouse_code, charge_code";
const keys = `left(coalesce(customer_id, ''), ${longestKey}) as customer_id, left(warehouse_code, ${longestKey}) as warehouse_code,
              left(charge_code, ${longestKey}) as charge_code`;

const totalColumns = `organisation_id, ${group}, half_hour, import_position, quantity, largest, row_count, row_numbers`;

/** Totals from memory are written in statements of this many. */
const totalsAtOnce = 5_000;
const manyRows = 10_000;
/** With this work_mem the sums of a large import stay in memory. Postgres may overestimate their cost, and compiling takes longer than running. */
const forManyRows = "set local work_mem = '64MB'; set local jit = off";

/** From what was kept in memory as the rows passed, or else from the rows in the table. */
async function sumCompleted(client: PoolClient, completed: readonly CompletedInBatch[]): Promise<void> {
  const unsummed: CompletedInBatch[] = [];
  const summed: object[] = [];
  const contents: ImportContents[] = [];
  for (const each of completed) {
    const { organisationId, position, totals } = each.facts;
    const kept = totals?.all(each.ended.data.counts.processed);
    if (kept) contents.push({ organisationId, position, blocks: kept.blocks });
    else unsummed.push(each);
    for (const { quantity, halfHour, rows, ...total } of kept?.totals ?? []) {
      const numbers = { quantity: toFullText(quantity), rowCount: rows.length, rowNumbers: `{${rows.join()}}` };
      summed.push({ organisationId, position, halfHour: new Date(halfHour).toISOString(), ...total, ...numbers });
    }
  }
  for (let from = 0; from < summed.length; from += totalsAtOnce)
    await client.query(addTotalsSql(totalsFromMemory), [storableJson(summed.slice(from, from + totalsAtOnce))]);
  if (unsummed.some(({ ended }) => ended.data.counts.processed > manyRows)) await client.query(forManyRows);
  await writeTotals(
    client,
    unsummed.map(({ facts }) => facts),
  );
  await writeContents(client, contents);
  for (const { facts } of unsummed) await writeContentsOfRows(client, facts);
}

const totalsFromMemory = `
  select "organisationId", "customerId", "warehouseCode", "chargeCode", "halfHour", position, quantity, largest, "rowCount", "rowNumbers"::integer[]
    from jsonb_to_recordset($1) as total ("organisationId" text, "customerId" text, "warehouseCode" text, "chargeCode" text, "halfHour" timestamptz,
         position bigint, quantity numeric, largest numeric, "rowCount" integer, "rowNumbers" text)`;

/** Sums the activities of each completed import. Does nothing for an import that has its totals already. */
export async function writeTotals(
  client: PoolClient,
  completed: readonly Pick<ImportFacts, "position" | "organisationId">[],
): Promise<void> {
  if (completed.length === 0) return;
  const values = [completed.map(({ position }) => position), completed.map(({ organisationId }) => organisationId)];
  await client.query(addTotalsSql(totalsFromRows), values);
}

/** A row whose time Postgres cannot read, as older versions accepted some, is in no total. */
const totalsFromRows = `
  select organisation_id, ${group}, half_hour, import_position, sum(quantity), max(quantity), count(*)::integer, array_agg("row" order by "row")
    from unnest($1::bigint[], $2::text[]) as completed (import_position, organisation_id)
   cross join lateral (
     select "row", quantity, ${keys}, ${halfHourSql(instantSql("activity_timestamp"))} as half_hour
       from activities where activities.import_position = completed.import_position offset 0) as timed
   where half_hour is not null
   group by organisation_id, import_position, ${group}, half_hour`;

/** Adds totals, and what follows from them: the groups, and the days of the codes. */
const addTotalsSql = (totals: string) => `/* prepared */ with added as (
    insert into activity_totals (${totalColumns}) ${totals} on conflict do nothing returning *
  ), grouped as (
    insert into activity_groups (organisation_id, ${group}) select distinct organisation_id, ${group} from added on conflict do nothing
  ) ${addCodesSql("added")}`;
