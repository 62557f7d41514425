// The rows behind the totals of an earlier time: those that count now, without the rows that came since, and with those taken back since.
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import { type ActivityFilter, filterScope, filterValues, ofGroupSql, passesSql } from "./activityFilter.js";
import { type FoundActivity, isInTimeRange } from "./activityRows.js";

const key = "customer_id, warehouse_code, charge_code, half_hour, import_position";
const fieldColumns = fieldsOf("activity")
  .map(({ name, ledgerColumn }) => `a.${ledgerColumn} as "${name}"`)
  .join(", ");

const rowsOf = (table: string, sign: string, also: string) => `
  select t.*, n.number, ${sign} as sign
    from activity_groups as g cross join lateral
         (select ${key}, row_numbers, row_count from ${table} as t
           where ${ofGroupSql} and t.half_hour >= :first and t.half_hour < :end ${also}
             and exists (select from imports i where i.position = t.import_position and i.finished_at <= :asOf) offset 0) as t
   cross join unnest(t.row_numbers) as n (number)
   where ${passesSql("g")}`;

const sql = `
  with known as (
    select ${key}, number from (${rowsOf("activity_totals", "1", "")} union all
           ${rowsOf("activity_changes", "-sign(t.row_count)", "and t.changed_at > :asOf")}) as each
     where :afterCustomer::text is null or (${key}, number) > (:afterCustomer::text, :afterWarehouse::text, :afterCharge::text, :afterHalfHour::timestamptz, :afterPosition::bigint, :afterRow::integer)
     group by ${key}, number having sum(sign) > 0 order by ${key}, number limit :count)
  select known.customer_id as "groupCustomer", known.warehouse_code as "groupWarehouse", known.charge_code as "groupCharge",
         known.half_hour as "halfHour", known.import_position::text as "importPosition", i.import_id as "importId",
         i.source_details as "sourceDetails", known.number as row, ${fieldColumns}
    from known join imports i on i.position = known.import_position
   cross join lateral (select * from activities where import_position = known.import_position and "row" = known.number limit 1) as a
   order by known.customer_id, known.warehouse_code, known.charge_code, known.half_hour, known.import_position, known.number`;

type Found = Record<string, unknown> & {
  readonly groupCustomer: string;
  readonly groupWarehouse: string;
  readonly groupCharge: string;
  readonly halfHour: Date;
  readonly importPosition: string;
  readonly importId: string;
  readonly sourceDetails: string;
  readonly row: number;
};

/** In the order of `pageOfActivities`. */
export async function activityRowsAsOf(
  organisationId: string,
  filter: ActivityFilter,
  asOf: Date,
  page: PageRequest,
  pool: Database,
): Promise<Page<Pick<FoundActivity, "importId" | "sourceDetails" | "row" | "values">>> {
  const found = await readPage(
    page,
    ["activities as of", organisationId, asOf.toISOString(), ...filterScope(filter)],
    async (after, count) => {
      const [customer = null, warehouse = null, charge = null, halfHour = null, position = null, row = null] = after ?? [];
      const place = { afterCustomer: customer, afterWarehouse: warehouse, afterCharge: charge, afterHalfHour: halfHour };
      const values = { ...filterValues(organisationId, filter), asOf, ...place, afterPosition: position, afterRow: row, count };
      return (await pool.query<Found>(named(sql, values))).rows;
    },
    {
      placeOf: ({ groupCustomer, groupWarehouse, groupCharge, halfHour, importPosition, row }) => [
        groupCustomer,
        groupWarehouse,
        groupCharge,
        halfHour.toISOString(),
        importPosition,
        String(row),
      ],
      itemOf: ({ importId, sourceDetails, row, ...values }) => ({ importId, sourceDetails, row, values }),
    },
  );
  return { ...found, items: found.items.filter((item) => isInTimeRange(item, filter)) };
}
