// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import type { PoolClient } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { toFullText } from "../../domain/money.js";
import type { ImportCompleted, RowAccepted } from "../../events/importEvents.js";
import { copyRows, copyText, deleteRows } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { endingsOf, type ImportFacts } from "../sortedBatch.js";
import { activitiesShape, halfHourSql, instantSql, longestKey } from "../tables/activities.js";
import { addCodesSql } from "./activityCodes.js";
import { writeContents } from "./activityContents.js";
import { recount } from "./countedActivities.js";
import { reversalsIn } from "./reversals.js";
import type { Total } from "./runningTotals.js";

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
    await writeContents(client, batch);
    const { completed, abandoned } = endingsOf(batch, "activities");
    await writeTotals(client, completed);
    await deleteRows(client, "activities", abandoned);
    await deleteRows(client, "activity_contents", abandoned);
    await recount(client, completed, reversalsIn(batch, options.skip));
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

/**
 * Sums the activities of each completed import: from the totals that were made in memory as the rows passed, or else from the rows in the
 * table. Does nothing for an import that has its totals already.
 */
export async function writeTotals(
  client: PoolClient,
  completed: readonly { readonly facts: ImportFacts; readonly ended: { readonly data: Pick<ImportCompleted, "counts"> } }[],
): Promise<void> {
  const unsummed: ImportFacts[] = [];
  const summed: unknown[][] = [];
  for (const { facts, ended } of completed) {
    const totals = facts.totals?.all(ended.data.counts.processed);
    if (!totals) unsummed.push(facts);
    else for (const total of totals) summed.push(totalRow(facts, total));
  }
  for (let from = 0; from < summed.length; from += totalsAtOnce) {
    const rows = summed.slice(from, from + totalsAtOnce);
    await addTotals(client, totalsFromMemory, rows[0]?.map((_, column) => rows.map((row) => row[column])) ?? []);
  }
  if (unsummed.length > 0) await sumRows(client, unsummed);
}

/** Adds totals, and what follows from them: the groups, and the days of the codes. */
async function addTotals(client: PoolClient, totals: string, values: unknown[]): Promise<void> {
  await client.query(
    `/* prepared */ with added as (
       insert into activity_totals (${totalColumns}) ${totals} on conflict do nothing returning *
     ), grouped as (
       insert into activity_groups (organisation_id, ${group}) select distinct organisation_id, ${group} from added on conflict do nothing
     ) ${addCodesSql("added")}`,
    values,
  );
}

const totalsFromMemory = `
  select organisation_id, ${group}, half_hour, import_position, quantity, largest, row_count, row_numbers::integer[]
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::numeric[], $8::numeric[], $9::integer[], $10::text[])
         as total (${totalColumns})`;

function totalRow(
  { organisationId, position }: ImportFacts,
  { customerId, warehouseCode, chargeCode, halfHour, quantity, largest, rows }: Total,
): unknown[] {
  const begin = new Date(halfHour).toISOString();
  const key = [organisationId, customerId, warehouseCode, chargeCode, begin, position];
  return [...key, toFullText(quantity), largest, rows.length, `{${rows.join()}}`];
}

/** With this work_mem the sums of a large import stay in memory. Postgres may overestimate their cost, and compiling takes longer than running. */
const forLargeImports = "set local work_mem = '64MB'; set local jit = off";

async function sumRows(client: PoolClient, imports: readonly ImportFacts[]): Promise<void> {
  await client.query(forLargeImports);
  await addTotals(client, totalsFromRows, [imports.map(({ position }) => position), imports.map(({ organisationId }) => organisationId)]);
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
