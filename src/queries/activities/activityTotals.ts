// Totals are read from the projection's sums by half hour. Rows are read only where a range begins or ends within a half hour.
import { add, decimal, toText } from "../../domain/exactDecimal.js";
import { Rejection } from "../../domain/rejection.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql } from "../../projections/tables/activities.js";
import { type ActivityFilter, filterValues, isOfGroupSql, passesSql, totalSources } from "./activityFilter.js";

export interface ActivityTotal {
  /** Null for activities that name no customer. */
  readonly customerId: string | null;
  readonly warehouseCode: string;
  readonly chargeCode: string;
  /** An exact decimal. */
  readonly quantity: string;
  readonly rows: number;
}

export const maxTotals = 10_000;

export interface TotalsFilter extends Omit<ActivityFilter, "importId"> {
  /** The totals as they were known at this time. */
  readonly asOf?: Date | undefined;
}

/** The totals by customer, warehouse and charge code, sorted by these. */
export async function readActivityTotals(organisationId: string, filter: TotalsFilter, database: Database): Promise<ActivityTotal[]> {
  const values = { ...filterValues(organisationId, filter), most: maxTotals + 1, asOf: filter.asOf };
  const { rows } = await database.query<ActivityTotal>(bindNames(totalsSql(values.cut.length > 0, filter.asOf !== undefined), values));
  if (rows.length <= maxTotals) return rows;
  throw tooManyAmounts(`There are more than ${maxTotals} totals: narrow them by customer, warehouse, charge code or dates`);
}

export const tooManyAmounts = (sentence: string) => new Rejection("invalid", sentence, [sentence]);

/** The sum is exact, as the totals are. */
export function sumOfTotals(totals: readonly Pick<ActivityTotal, "quantity" | "rows">[]): Pick<ActivityTotal, "quantity" | "rows"> {
  const quantity = totals.reduce((sum, total) => add(sum, decimal(total.quantity)), decimal(0));
  return { quantity: toText(quantity), rows: totals.reduce((sum, { rows }) => sum + rows, 0) };
}

const groupColumns = "g.customer_id, g.warehouse_code, g.charge_code";

/** `offset 0` keeps the planner to one look-up per group, so that totals outside the range are not read. */
const groupHoursSql = (columns: string, table: string, hoursCondition: string) => `
  activity_groups as g cross join lateral
       (select ${columns} from ${table} as t
         where ${isOfGroupSql} and t.half_hour >= :first and t.half_hour < :end ${hoursCondition} offset 0) as hours`;

const summedTotalsSql = (sums: string) => `
  select nullif(customer_id, '') as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode",
         trim_scale(sum(quantity))::text as quantity, sum(row_count)::float8 as rows
    from (${sums}) as g group by ${groupColumns} having sum(row_count) <> 0 order by ${groupColumns} limit :most`;

const instantOfRowSql = instantSql("a.activity_timestamp");

function totalsSql(hasCutHours: boolean, isAsOf: boolean): string {
  const sources = totalSources(isAsOf);
  const wholeHoursSql = sources.map(
    ({ table, sign, condition }) => `
      select ${groupColumns}, ${sign}quantity as quantity, ${sign}row_count as row_count
        from ${groupHoursSql("t.quantity, t.row_count", table, `${condition} ${hasCutHours ? "and t.half_hour <> all(:cut::timestamptz[])" : ""}`)}
       where ${passesSql("g")}`,
  );
  const cutHoursSql = sources.map(
    ({ table, sign, condition }) => `
      select ${groupColumns}, ${sign}sign(hours.row_count::numeric) * a.quantity, ${sign}sign(hours.row_count::numeric)
        from ${groupHoursSql("t.import_position, t.row_count, t.row_numbers", table, `${condition} and t.half_hour = any(:cut::timestamptz[])`)}
       cross join unnest(hours.row_numbers) as n (number)
       cross join lateral (select * from activities where import_position = hours.import_position and "row" = n.number limit 1) as a
       where ${passesSql("g")} and ${instantOfRowSql} >= :from and ${instantOfRowSql} < :to`,
  );
  return summedTotalsSql([...wholeHoursSql, ...(hasCutHours ? cutHoursSql : [])].join(" union all "));
}
