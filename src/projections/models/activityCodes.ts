// Keeps `activity_codes` in step with the totals: by code and day, how many activities count and their largest quantity.
import type { PoolClient } from "pg";
import { daySql } from "../tables/activities.js";

interface CodeDay {
  readonly organisationId: string;
  readonly field: "chargeCode" | "warehouseCode";
  readonly code: string;
  readonly day: number;
  readonly rows: number;
  readonly largest: string | null;
}

/** SQL that sums totals, or rows with the columns of totals, by code and day. */
const byCodeSql = (entries: string) => `
  select organisation_id as "organisationId", field, code, ${daySql("half_hour")} as day, sum(row_count)::integer as rows, max(most)::text as largest
    from ${entries} cross join lateral
         (values ('chargeCode', charge_code, largest), ('warehouseCode', warehouse_code, null)) as by_field (field, code, most)
   group by 1, 2, 3, 4`;

export const codeDaysIn = async (client: PoolClient, entriesSql: string, values: unknown[]): Promise<CodeDay[]> =>
  (await client.query<CodeDay>(byCodeSql(`(${entriesSql}) as entries`), values)).rows;

export const codeDaysOfImport = (client: PoolClient, position: string): Promise<CodeDay[]> =>
  codeDaysIn(client, "select * from activity_totals where import_position = $1", [position]);

const sameDaySql = `d.organisation_id = c."organisationId" and d.field = c.field and d.code = c.code and d.day = c.day`;
const columns = "organisation_id, field, code, day, row_count, largest";
const addToExistingSql = `on conflict (organisation_id, field, code, day) do update
   set row_count = d.row_count + excluded.row_count, largest = greatest(d.largest, excluded.largest)`;

/** SQL that adds the code days of totals that were just written. */
export const addCodeDaysSql = (entries: string) => `
  insert into activity_codes as d (${columns})
  select "organisationId", field, code, day, rows, largest::numeric from (${byCodeSql(entries)}) as c ${addToExistingSql}`;

/** Adds these days, or subtracts them. The caller has already changed the totals, from which a remaining largest quantity is read. */
export async function changeCodeDays(client: PoolClient, changes: readonly CodeDay[], sign: "+" | "-"): Promise<void> {
  if (changes.length === 0) return;
  const changesSql = `jsonb_to_recordset($1) as c ("organisationId" text, field text, code text, day integer, rows integer, largest numeric)`;
  const values = [JSON.stringify(changes)];
  if (sign === "+") {
    await client.query(`insert into activity_codes as d (${columns}) select * from ${changesSql} ${addToExistingSql}`, values);
    return;
  }
  await client.query(
    `update activity_codes d set row_count = d.row_count - c.rows, largest = case when c.largest < d.largest then d.largest else ${largestRemainingSql} end
       from ${changesSql} where ${sameDaySql}`,
    values,
  );
  await client.query(`delete from activity_codes d using ${changesSql} where ${sameDaySql} and d.row_count <= 0`, values);
}

const dayStartSql = (day: string) => `to_timestamp(${day} * 86400::bigint)`;

/** SQL for the largest quantity that the totals still have for a charge code's day. Null for warehouse codes. */
const largestRemainingSql = `
  case when d.field = 'chargeCode' then (
    select max(t.largest) from activity_groups g join activity_totals t
        on t.organisation_id = g.organisation_id and t.customer_id = g.customer_id and t.warehouse_code = g.warehouse_code and t.charge_code = g.charge_code
     where g.organisation_id = d.organisation_id and g.charge_code = d.code and t.half_hour >= ${dayStartSql("d.day")} and t.half_hour < ${dayStartSql("(d.day + 1)")}) end`;
