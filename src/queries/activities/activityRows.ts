// The rows behind totals: group by group, by half hour, then in the order of the pushes. Each total has the numbers of its rows, and the
// query plan goes through the totals in order. So a page reads only the rows that it shows, and a file starts immediately.
import type { Pool } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql } from "../../projections/tables/activities.js";
import { givenFields } from "../givenFields.js";
import { type PageRequest, type RowPage, readPage } from "../rowPage.js";
import { listInPushOrder } from "./activitiesInPushOrder.js";
import { type ActivityFilter, activityScope, filterValues, isFiltered, isOfGroupSql, passesSql, totalSources } from "./activityFilter.js";

export interface PagedActivity {
  readonly importId: string;
  /** The import's reference. */
  readonly sourceDetails: string;
  readonly row: number;
  /** The row's values, by field name. */
  readonly values: Readonly<Record<string, unknown>>;
}

type PagedRow = Record<string, unknown> & Omit<PagedActivity, "values"> & { readonly cursorValues: readonly string[] };

/**
 * The activities of completed imports that count. All, or those of one import, come in the order of the pushes. With any other filter they
 * come by customer, warehouse, charge code and half hour.
 */
export async function listActivities(
  organisationId: string,
  filter: ActivityFilter,
  page: PageRequest,
  pool: Pool,
): Promise<RowPage<Record<string, unknown>>> {
  const { items, nextCursor } = isFiltered(filter)
    ? await pageOfActivities(organisationId, filter, page, pool)
    : await listInPushOrder(organisationId, filter, { reversed: "leaveOut", unusualOnly: false }, page, pool);
  return { items: items.map(({ values, importId, row }) => ({ ...givenFields(values, "activity"), importId, row })), nextCursor };
}

/** One page of a filtered list, now or as it was known at the time `asOf`. */
export function pageOfActivities(
  organisationId: string,
  filter: ActivityFilter & { readonly asOf?: Date | undefined },
  page: PageRequest,
  pool: Database,
): Promise<RowPage<PagedActivity>> {
  const { asOf } = filter;
  const scope = ["activities by group", organisationId, ...activityScope(filter), ...(asOf ? [asOf.toISOString()] : [])];
  const fetch = async (after: readonly string[] = [], count: number) => {
    const values = filterValues(organisationId, filter);
    // Every total has a row for the page, except perhaps the total where the previous page ended, and half hours partly in the range.
    const totals = values.cut.length > 0 ? null : count + 1;
    return (await pool.query<PagedRow>(bindNames(rowsSql(filter, pageColumns), { ...values, ...afterValues(after), asOf, totals, count })))
      .rows;
  };
  return readPage(page, scope, fetch, {
    cursorValues: ({ cursorValues }) => cursorValues,
    itemOf: ({ importId, sourceDetails, row, cursorValues: _, ...values }) => ({ importId, sourceDetails, row, values }),
  });
}

const fields = fieldsOf("activity");
const pageColumns = [
  ...fields.map(({ name, ledgerColumn }) => `a.${ledgerColumn} as "${name}"`),
  `i.import_id as "importId", i.source_details as "sourceDetails", a."row"`,
  `json_build_array(t.customer_id, t.warehouse_code, t.charge_code, to_char(t.half_hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    t.import_position::text, a."row"::text) as "cursorValues"`,
].join(", ");

/** The parameters for the row with which the previous page ended: the values of its total, and its number. */
export const afterValues = ([afterCustomer, afterWarehouse, afterCharge, afterHalfHour, afterPosition, afterRow]: readonly string[]) => ({
  afterCustomer,
  afterWarehouse,
  afterCharge,
  afterHalfHour,
  afterPosition,
  afterRow,
});

const groupColumns = "customer_id, warehouse_code, charge_code";
/** SQL for the group and the total in which the previous page ended. */
const lastGroupSql = "(:afterCustomer::text, :afterWarehouse::text, :afterCharge::text)";
const lastTotalSql = "(:afterHalfHour::timestamptz, :afterPosition::bigint)";
const isLastGroupSql = (table: string) => `(${table}.customer_id, ${table}.warehouse_code, ${table}.charge_code) = ${lastGroupSql}`;

/** `offset 0` keeps the planner to one look-up per group, so that totals outside the range are not read. */
const totalsByGroupSql = (isAsOf: boolean) => `
  select t.* from
    (select * from activity_groups as g where ${passesSql("g")} and (:afterCustomer::text is null or (${groupColumns}) >= ${lastGroupSql})
      order by ${groupColumns} offset 0) as g
   cross join lateral
    (select g.customer_id, g.warehouse_code, g.charge_code, half_hour, import_position, row_numbers from (${totalsOfGroupSql(isAsOf)}) as t
      where t.half_hour >= case when ${isLastGroupSql("g")} then :afterHalfHour::timestamptz else :first::timestamptz end and t.half_hour < :end
        and (not coalesce(${isLastGroupSql("g")}, false) or (t.half_hour, t.import_position) >= ${lastTotalSql})
      order by t.half_hour, t.import_position limit :totals::bigint offset 0) as t`;

/** As of an earlier time a total has its present rows, without those that were added later and with those that were removed later. */
function totalsOfGroupSql(isAsOf: boolean): string {
  if (!isAsOf) return `select * from activity_totals as t where ${isOfGroupSql}`;
  const numbersSql = totalSources(isAsOf).map(
    ({ table, sign, condition }) => `
      select t.half_hour, t.import_position, number, ${sign}sign(t.row_count) as counted from ${table} as t cross join unnest(t.row_numbers) as number
       where ${isOfGroupSql} and t.half_hour >= :first and t.half_hour < :end ${condition}`,
  );
  return `
    select half_hour, import_position, array_agg(number order by number) as row_numbers
      from (select half_hour, import_position, number from (${numbersSql.join(" union all ")}) as each
             group by half_hour, import_position, number having sum(counted) > 0) as known
     group by half_hour, import_position`;
}

const totalsOfImportSql = `
  select ${groupColumns}, half_hour, t.import_position, row_numbers from activity_totals as t join imports as i on i.position = t.import_position
   where i.import_id = :importId and i.organisation_id = :organisationId and ${passesSql("t")} and t.half_hour >= :first and t.half_hour < :end
     and (:afterCustomer::text is null or (${groupColumns}) > ${lastGroupSql} or ${isLastGroupSql("t")} and (t.half_hour, t.import_position) >= ${lastTotalSql})
   order by ${groupColumns}, half_hour, t.import_position limit :totals::bigint offset 0`;

const instantOfRowSql = instantSql("a.activity_timestamp");

/** `limit 1` keeps the planner to one look-up for each row. A row's time is checked only in half hours that lie partly in the range. */
export const rowsSql = (
  { importId, asOf }: { readonly importId?: string | undefined; readonly asOf?: Date | undefined },
  columns: string,
) => `
  select ${columns} from (${importId === undefined ? totalsByGroupSql(asOf !== undefined) : totalsOfImportSql}) as t
   cross join lateral (select import_id, source_details from imports where position = t.import_position and organisation_id = :organisationId limit 1) as i
   cross join unnest(t.row_numbers) as numbers (number)
   cross join lateral (select * from activities where import_position = t.import_position and "row" = number limit 1) as a
   where number > case when ${isLastGroupSql("t")} and (t.half_hour, t.import_position) = ${lastTotalSql} then :afterRow::integer else 0 end
     and case when t.half_hour = any(:cut::timestamptz[]) then ${instantOfRowSql} >= :from::timestamptz and ${instantOfRowSql} < :to::timestamptz else true end
   limit :count::bigint`;
