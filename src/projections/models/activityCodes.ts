// `activity_codes` follows the totals: whatever is added to them or taken out of them changes the days of its codes.
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

/** By code and day, of totals or of what is summed like them. */
const byCodeSql = (entries: string) => `
  select organisation_id as "organisationId", field, code, ${daySql("half_hour")} as day, sum(row_count)::integer as rows, max(most)::text as largest
    from ${entries} cross join lateral
         (values ('chargeCode', charge_code, largest), ('warehouseCode', warehouse_code, null)) as by_field (field, code, most)
   group by 1, 2, 3, 4`;

export const codesIn = async (client: PoolClient, entriesSql: string, values: unknown[]): Promise<CodeDay[]> =>
  (await client.query<CodeDay>(byCodeSql(`(${entriesSql}) as entries`), values)).rows;

export const codesOfImport = (client: PoolClient, position: string): Promise<CodeDay[]> =>
  codesIn(client, "select * from activity_totals where import_position = $1", [position]);

const isSameDay = `d.organisation_id = c."organisationId" and d.field = c.field and d.code = c.code and d.day = c.day`;
const columns = "organisation_id, field, code, day, row_count, largest";
const added = `on conflict (organisation_id, field, code, day) do update
   set row_count = d.row_count + excluded.row_count, largest = greatest(d.largest, excluded.largest)`;

/** SQL that adds the days of totals that were written just now. */
export const addCodesSql = (entries: string) => `
  insert into activity_codes as d (${columns})
  select "organisationId", field, code, day, rows, largest::numeric from (${byCodeSql(entries)}) as c ${added}`;

/** After the totals were changed by these. */
export async function changeCodes(client: PoolClient, changes: readonly CodeDay[], sign: "+" | "-"): Promise<void> {
  if (changes.length === 0) return;
  const changed = `jsonb_to_recordset($1) as c ("organisationId" text, field text, code text, day integer, rows integer, largest numeric)`;
  const values = [JSON.stringify(changes)];
  if (sign === "+") {
    await client.query(`insert into activity_codes as d (${columns}) select * from ${changed} ${added}`, values);
    return;
  }
  await client.query(
    `update activity_codes d set row_count = d.row_count - c.rows, largest = case when c.largest < d.largest then d.largest else ${largestLeft} end
       from ${changed} where ${isSameDay}`,
    values,
  );
  await client.query(`delete from activity_codes d using ${changed} where ${isSameDay} and d.row_count <= 0`, values);
}

const startOf = (day: string) => `to_timestamp(${day} * 86400::bigint)`;

/** Of a charge code's day, from the totals. Null for warehouse codes, which have no largest. */
const largestLeft = `
  case when d.field = 'chargeCode' then (
    select max(t.largest) from activity_groups g join activity_totals t
        on t.organisation_id = g.organisation_id and t.customer_id = g.customer_id and t.warehouse_code = g.warehouse_code and t.charge_code = g.charge_code
     where g.organisation_id = d.organisation_id and g.charge_code = d.code and t.half_hour >= ${startOf("d.day")} and t.half_hour < ${startOf("(d.day + 1)")}) end`;
