// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import type { PoolClient } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, copyText, deleteRows } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { endingsOf, type ImportFacts } from "../sortedBatch.js";
import { activitiesShape, halfHourSql, instantSql, longestKey } from "../tables/activities.js";
import { addCodesSql } from "./activityCodes.js";
import { writeContents } from "./activityContents.js";
import { recount } from "./countedActivities.js";
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
    for (const { facts, accepted } of batch.imports) {
      if (facts?.kind !== "activities") continue;
      for (const row of accepted) lines += line(facts.position, row);
    }
    await copyRows(client, target, lines, options);
    await writeContents(client, batch);
    const { completed, abandoned } = endingsOf(batch, "activities");
    if (completed.some(({ ended }) => ended.data.counts.processed > manyRows)) await client.query(forLargeImports);
    await writeTotals(
      client,
      completed.map(({ facts }) => facts),
    );
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

const manyRows = 10_000;
/** With this work_mem the sums of a large import stay in memory. Postgres may overestimate their cost, and compiling takes longer than running. */
const forLargeImports = "set local work_mem = '64MB'; set local jit = off";

/** Sums the activities of each completed import. Does nothing for an import that has its totals already. */
export async function writeTotals(
  client: PoolClient,
  completed: readonly Pick<ImportFacts, "position" | "organisationId">[],
): Promise<void> {
  if (completed.length === 0) return;
  await client.query(totalsSql, [completed.map(({ position }) => position), completed.map(({ organisationId }) => organisationId)]);
}

/** Adds the totals, and what follows from them: the groups, and the days of the codes. A row whose time Postgres cannot read is in no total. */
const totalsSql = `/* prepared */ with added as (
    insert into activity_totals (organisation_id, ${group}, half_hour, import_position, quantity, largest, row_count, row_numbers)
    select organisation_id, ${group}, half_hour, import_position, sum(quantity), max(quantity), count(*)::integer, array_agg("row" order by "row")
      from unnest($1::bigint[], $2::text[]) as completed (import_position, organisation_id)
     cross join lateral (
       select "row", quantity, ${keys}, ${halfHourSql(instantSql("activity_timestamp"))} as half_hour
         from activities where activities.import_position = completed.import_position offset 0) as timed
     where half_hour is not null
     group by organisation_id, import_position, ${group}, half_hour
    on conflict do nothing returning *
  ), grouped as (
    insert into activity_groups (organisation_id, ${group}) select distinct organisation_id, ${group} from added on conflict do nothing
  ) ${addCodesSql("added")}`;
