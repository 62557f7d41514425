// Totals are read from the projection's sums by half hour. Only where a range begins or ends within a half hour, rows are looked at.
import { add, decimal, toText } from "../../domain/exactDecimal.js";
import { Rejection } from "../../domain/rejection.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql } from "../../projections/tables/activities.js";
import { type ActivityFilter, filterValues, ofGroupSql, passesSql, sourcesOf } from "./activityFilter.js";

export interface ActivityTotal {
  /** Null for activities that name no customer. */
  readonly customerId: string | null;
  readonly warehouseCode: string;
  readonly chargeCode: string;
  /** An exact decimal. */
  readonly quantity: string;
  readonly rows: number;
}

export const mostTotals = 10_000;

export interface TotalsFilter extends Omit<ActivityFilter, "importId"> {
  /** The totals as they were known at this time. */
  readonly asOf?: Date | undefined;
}

/** By customer, warehouse and charge code, in this order. */
export async function activityTotals(organisationId: string, filter: TotalsFilter, database: Database): Promise<ActivityTotal[]> {
  const values = { ...filterValues(organisationId, filter), most: mostTotals + 1, asOf: filter.asOf };
  const { rows } = await database.query<ActivityTotal>(named(totalsSql(values.cut.length > 0, filter.asOf !== undefined), values));
  if (rows.length <= mostTotals) return rows;
  throw tooManyAmounts(`There are more than ${mostTotals} totals: narrow them by customer, warehouse, charge code or dates`);
}

export const tooManyAmounts = (sentence: string) => new Rejection("invalid", sentence, [sentence]);

/** Exact, as the totals are. */
export function sumOfTotals(totals: readonly Pick<ActivityTotal, "quantity" | "rows">[]): Pick<ActivityTotal, "quantity" | "rows"> {
  const quantity = totals.reduce((sum, total) => add(sum, decimal(total.quantity)), decimal(0));
  return { quantity: toText(quantity), rows: totals.reduce((sum, { rows }) => sum + rows, 0) };
}

const group = "g.customer_id, g.warehouse_code, g.charge_code";

/** `offset 0` keeps the planner to one look-up per group, so that other months cost nothing. */
const groupsWith = (columns: string, table: string, hours: string) => `
  activity_groups as g cross join lateral
       (select ${columns} from ${table} as t
         where ${ofGroupSql} and t.half_hour >= :first and t.half_hour < :end ${hours} offset 0) as hours`;

const summed = (sums: string) => `
  select nullif(customer_id, '') as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode",
         trim_scale(sum(quantity))::text as quantity, sum(row_count)::float8 as rows
    from (${sums}) as g group by ${group} having sum(row_count) <> 0 order by ${group} limit :most`;

const instant = instantSql("a.activity_timestamp");

function totalsSql(inPart: boolean, asKnown: boolean): string {
  const sources = sourcesOf(asKnown);
  const whole = sources.map(
    ({ table, sign, also }) => `
      select ${group}, ${sign}quantity as quantity, ${sign}row_count as row_count
        from ${groupsWith("t.quantity, t.row_count", table, `${also} ${inPart ? "and t.half_hour <> all(:cut::timestamptz[])" : ""}`)}
       where ${passesSql("g")}`,
  );
  const cut = sources.map(
    ({ table, sign, also }) => `
      select ${group}, ${sign}sign(hours.row_count::numeric) * a.quantity, ${sign}sign(hours.row_count::numeric)
        from ${groupsWith("t.import_position, t.row_count, t.row_numbers", table, `${also} and t.half_hour = any(:cut::timestamptz[])`)}
       cross join unnest(hours.row_numbers) as n (number)
       cross join lateral (select * from activities where import_position = hours.import_position and "row" = n.number limit 1) as a
       where ${passesSql("g")} and ${instant} >= :from and ${instant} < :to`,
  );
  return summed([...whole, ...(inPart ? cut : [])].join(" union all "));
}
