// Totals are read from the projection's sums by half hour. Only where a range begins or ends within a half hour, rows are looked at.
import type { Pool } from "pg";
import { add, decimal, toText } from "../../domain/money.js";
import { Rejection } from "../../domain/rejection.js";
import { instantSql } from "../../projections/tables/ledgers.js";
import { type ActivityFilter, filterValues, halfHoursOf, ofGroupSql, passesSql } from "./activityFilter.js";

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

/** By customer, warehouse and charge code, in this order. */
export async function activityTotals(
  organisationId: string,
  filter: Omit<ActivityFilter, "importId">,
  database: Pick<Pool, "query">,
): Promise<ActivityTotal[]> {
  const { cut } = halfHoursOf(filter);
  const { from, to } = filter;
  const values = [...filterValues(organisationId, filter), mostTotals + 1];
  const { rows } =
    cut.length === 0
      ? await database.query<ActivityTotal>(wholeHalfHours, values)
      : await database.query<ActivityTotal>(withCutHalfHours, [...values, cut, from ?? "-infinity", to ?? "infinity"]);
  if (rows.length <= mostTotals) return rows;
  const sentence = `There are more than ${mostTotals} totals: narrow them by customer, warehouse, charge code or dates`;
  throw new Rejection("invalid", sentence, [sentence]);
}

/** Exact, as the totals are. */
export function sumOf(totals: readonly Pick<ActivityTotal, "quantity" | "rows">[]): Pick<ActivityTotal, "quantity" | "rows"> {
  const quantity = totals.reduce((sum, total) => add(sum, decimal(total.quantity)), decimal(0));
  return { quantity: toText(quantity), rows: totals.reduce((sum, { rows }) => sum + rows, 0) };
}

/** `offset 0` keeps the planner to one look-up per group, so that other months cost nothing. */
const groupsWith = (columns: string, hours: string) => `
  activity_groups as g cross join lateral
       (select ${columns} from activity_totals as t
         where ${ofGroupSql} and t.half_hour >= $5 and t.half_hour < $6 ${hours} offset 0) as hours`;

const group = "g.customer_id, g.warehouse_code, g.charge_code";

const summed = (sums: string) => `
  select nullif(customer_id, '') as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode",
         trim_scale(sum(quantity))::text as quantity, sum(row_count)::float8 as rows
    from (${sums}) as g group by ${group} order by ${group} limit $7`;

const whole = (hours: string) =>
  `select ${group}, quantity, row_count from ${groupsWith("t.quantity, t.row_count", hours)} where ${passesSql("g")}`;

const wholeHalfHours = summed(whole(""));

const instant = instantSql("a.activity_timestamp");

const withCutHalfHours = summed(`
  ${whole("and t.half_hour <> all($8::timestamptz[])")}
  union all
  select ${group}, a.quantity, 1
    from ${groupsWith("t.import_position, t.row_numbers", "and t.half_hour = any($8::timestamptz[])")}
   cross join unnest(hours.row_numbers) as n (number)
   cross join lateral (select * from activities where import_position = hours.import_position and "row" = n.number limit 1) as a
   where ${passesSql("g")} and ${instant} >= $9 and ${instant} < $10`);
