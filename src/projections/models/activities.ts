// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import type { PoolClient } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { toFullText } from "../../domain/money.js";
import type { ImportCompleted, RowAccepted } from "../../events/importEvents.js";
import { named } from "../../namedSql.js";
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
  const summed: SummedTotal[] = [];
  for (const { facts, ended } of completed) {
    const totals = facts.totals?.all(ended.data.counts.processed);
    if (!totals) unsummed.push(facts);
    else summed.push(...totals.map((total) => ({ facts, total })));
  }
  for (let from = 0; from < summed.length; from += totalsAtOnce) {
    await addTotals(client, totalsFromMemory, totalValues(summed.slice(from, from + totalsAtOnce)));
  }
  if (unsummed.length > 0) await sumRows(client, unsummed);
}

/** Adds totals, and what follows from them: the groups, and the days of the codes. */
async function addTotals(client: PoolClient, totals: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  await client.query(
    named(
      `/* prepared */ with added as (
       insert into activity_totals (${totalColumns}) ${totals} on conflict do nothing returning *
     ), grouped as (
       insert into activity_groups (organisation_id, ${group}) select distinct organisation_id, ${group} from added on conflict do nothing
     ) ${addCodesSql("added")}`,
      values,
    ),
  );
}

const totalsFromMemory = `
  select organisation_id, ${group}, half_hour, import_position, quantity, largest, row_count, row_numbers::integer[]
    from unnest(:organisationIds::text[], :customerIds::text[], :warehouseCodes::text[], :chargeCodes::text[], :halfHours::timestamptz[],
                :positions::bigint[], :quantities::numeric[], :largest::numeric[], :rowCounts::integer[], :rowNumbers::text[])
         as total (${totalColumns})`;

interface SummedTotal {
  readonly facts: ImportFacts;
  readonly total: Total;
}

const totalValues = (summed: readonly SummedTotal[]) => ({
  organisationIds: summed.map(({ facts }) => facts.organisationId),
  customerIds: summed.map(({ total }) => total.customerId),
  warehouseCodes: summed.map(({ total }) => total.warehouseCode),
  chargeCodes: summed.map(({ total }) => total.chargeCode),
  halfHours: summed.map(({ total }) => new Date(total.halfHour).toISOString()),
  positions: summed.map(({ facts }) => facts.position),
  quantities: summed.map(({ total }) => toFullText(total.quantity)),
  largest: summed.map(({ total }) => total.largest),
  rowCounts: summed.map(({ total }) => total.rows.length),
  rowNumbers: summed.map(({ total }) => `{${total.rows.join()}}`),
});

/** With this work_mem the sums of a large import stay in memory. Postgres may overestimate their cost, and compiling takes longer than running. */
const forLargeImports = "set local work_mem = '64MB'; set local jit = off";

async function sumRows(client: PoolClient, imports: readonly ImportFacts[]): Promise<void> {
  await client.query(forLargeImports);
  await addTotals(client, totalsFromRows, {
    positions: imports.map(({ position }) => position),
    organisationIds: imports.map(({ organisationId }) => organisationId),
  });
}

/** A row whose time Postgres cannot read, as older versions accepted some, is in no total. */
const totalsFromRows = `
  select organisation_id, ${group}, half_hour, import_position, sum(quantity), max(quantity), count(*)::integer, array_agg("row" order by "row")
    from unnest(:positions::bigint[], :organisationIds::text[]) as completed (import_position, organisation_id)
   cross join lateral (
     select "row", quantity, ${keys}, ${halfHourSql(instantSql("activity_timestamp"))} as half_hour
       from activities where activities.import_position = completed.import_position offset 0) as timed
   where half_hour is not null
   group by organisation_id, import_position, ${group}, half_hour`;
