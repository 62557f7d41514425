// The accepted activities and their totals. Rows are written as they are recorded; queries join `imports` to show only completed ones.
import type { PoolClient } from "pg";
import { toFullText } from "../../domain/exactDecimal.js";
import { fieldsOf } from "../../domain/imports/fields.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, copyText, deleteRows } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { type CompletedImport, endingsOf, type ImportFacts } from "../sortedBatch.js";
import { activitiesShape, halfHourSql, instantSql, maxCodeLength } from "../tables/activities.js";
import { storableJson } from "../tables/storableJson.js";
import { addCodeDaysSql } from "./activityCodes.js";
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
      const { facts, acceptedRows } = slice;
      if (facts?.kind !== "activities") continue;
      for (const row of acceptedRows) lines += copyLine(facts.position, row);
      if (options.keepExisting)
        facts.totals?.drop(); // a row of the batch is recorded twice
      else facts.totals?.add(slice);
    }
    await copyRows(client, target, lines, options);
    const { completed, abandoned } = endingsOf(batch, "activities");
    await totalCompletedImports(client, completed);
    await deleteRows(client, "activities", abandoned);
    await updateCountedActivities(client, completed, reversalsIn(batch, options.skip));
  },
};

function copyLine(position: string, { row, values }: RowAccepted): string {
  let text = `${position}\t${row}`;
  for (const { name } of fields) text += `\t${copyText(values[name])}`;
  return `${text}\n`;
}

const groupColumns = "customer_id, warehouse_code, charge_code";
const groupKeysSql = `left(coalesce(customer_id, ''), ${maxCodeLength}) as customer_id, left(warehouse_code, ${maxCodeLength}) as warehouse_code,
              left(charge_code, ${maxCodeLength}) as charge_code`;

const totalColumns = `organisation_id, ${groupColumns}, half_hour, import_position, quantity, largest, row_count, row_numbers`;

/** How many totals from memory one statement writes. */
const totalsPerStatement = 5_000;
const largeImportRows = 10_000;
/** Keeps the sums of a large import in memory. Without JIT, since Postgres may overestimate their cost: compiling would take longer. */
const largeSumSettingsSql = "set local work_mem = '64MB'; set local jit = off";

/** Writes the totals and contents of completed imports: from memory if they were kept there, otherwise from the rows in the table. */
async function totalCompletedImports(client: PoolClient, completed: readonly CompletedImport[]): Promise<void> {
  const withoutTotals: CompletedImport[] = [];
  const totalsInMemory: object[] = [];
  const contents: ImportContents[] = [];
  for (const each of completed) {
    const { organisationId, position, totals } = each.facts;
    const result = totals?.result(each.ending.data.counts.processed);
    if (result) contents.push({ organisationId, position, blocks: result.blocks });
    else withoutTotals.push(each);
    for (const { quantity, halfHour, rows, ...total } of result?.totals ?? []) {
      const numbers = { quantity: toFullText(quantity), rowCount: rows.length, rowNumbers: `{${rows.join()}}` };
      totalsInMemory.push({ organisationId, position, halfHour: new Date(halfHour).toISOString(), ...total, ...numbers });
    }
  }
  for (let from = 0; from < totalsInMemory.length; from += totalsPerStatement)
    await client.query(addTotalsSql(totalsFromMemorySql), [storableJson(totalsInMemory.slice(from, from + totalsPerStatement))]);
  if (withoutTotals.some(({ ending }) => ending.data.counts.processed > largeImportRows)) await client.query(largeSumSettingsSql);
  await writeTotals(
    client,
    withoutTotals.map(({ facts }) => facts),
  );
  await writeContents(client, contents);
  for (const { facts } of withoutTotals) await writeContentsOfRows(client, facts);
}

const totalsFromMemorySql = `
  select "organisationId", "customerId", "warehouseCode", "chargeCode", "halfHour", position, quantity, largest, "rowCount", "rowNumbers"::integer[]
    from jsonb_to_recordset($1) as total ("organisationId" text, "customerId" text, "warehouseCode" text, "chargeCode" text, "halfHour" timestamptz,
         position bigint, quantity numeric, largest numeric, "rowCount" integer, "rowNumbers" text)`;

/** Sums the activities of each completed import from the table. Does nothing for an import that has its totals already. */
export async function writeTotals(
  client: PoolClient,
  completed: readonly Pick<ImportFacts, "position" | "organisationId">[],
): Promise<void> {
  if (completed.length === 0) return;
  const values = [completed.map(({ position }) => position), completed.map(({ organisationId }) => organisationId)];
  await client.query(addTotalsSql(totalsFromRowsSql), values);
}

/** Leaves out rows whose time Postgres cannot read. Older versions accepted some of these. */
const totalsFromRowsSql = `
  select organisation_id, ${groupColumns}, half_hour, import_position, sum(quantity), max(quantity), count(*)::integer, array_agg("row" order by "row")
    from unnest($1::bigint[], $2::text[]) as completed (import_position, organisation_id)
   cross join lateral (
     select "row", quantity, ${groupKeysSql}, ${halfHourSql(instantSql("activity_timestamp"))} as half_hour
       from activities where activities.import_position = completed.import_position offset 0) as timed
   where half_hour is not null
   group by organisation_id, import_position, ${groupColumns}, half_hour`;

/** SQL that adds totals and what follows from them: the groups, and the days of the codes. */
const addTotalsSql = (totals: string) => `/* prepared */ with added as (
    insert into activity_totals (${totalColumns}) ${totals} on conflict do nothing returning *
  ), grouped as (
    insert into activity_groups (organisation_id, ${groupColumns}) select distinct organisation_id, ${groupColumns} from added on conflict do nothing
  ) ${addCodeDaysSql("added")}`;
