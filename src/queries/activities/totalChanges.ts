// What changed the totals since a time: imports that completed, and reversals; and what one import adds to them. Read from the totals and their
// changes, so it costs what these hold, not what the imports hold.

import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql, isCountedSql, longestKey } from "../../projections/tables/activities.js";
import { filterValues } from "./activityFilter.js";
import { type ActivityTotal, type TotalsFilter, tooManyAmounts } from "./activityTotals.js";

/** More or less than before. */
export type ChangedAmount = Omit<ActivityTotal, "warehouseCode">;

export interface TotalsChange {
  /** The import that completed, or of which rows were reversed. */
  readonly importId: string;
  /** Null for an import. */
  readonly reversalId: string | null;
  readonly at: Date;
  /** The import's reference. */
  readonly sourceDetails: string;
  /** Why it was reversed. */
  readonly reason: string | null;
  /** `kind:id` of who pushed or reversed it. */
  readonly actor: string;
  readonly amounts: readonly ChangedAmount[];
}

export const mostAmounts = 10_000;

/** The oldest change first. Their sum is the difference between the totals of now and those as of `since`. */
export async function totalChanges(
  organisationId: string,
  filter: Omit<TotalsFilter, "asOf">,
  since: Date,
  database: Database,
): Promise<TotalsChange[]> {
  const values = { ...filterValues(organisationId, filter), since, most: mostAmounts + 1 };
  const { rows } = await database.query<TotalsChange & { all: number }>(named(changesSql, values));
  const amounts = rows.reduce((sum, row) => sum + row.amounts.length, 0);
  if (amounts > mostAmounts)
    throw tooManyAmounts(`There are more than ${mostAmounts} amounts: narrow them by dates, customer or a later time`);
  return rows;
}

const passes = `t.organisation_id = :organisationId and (:customerId::text is null or t.customer_id = :customerId) and (:warehouseCode::text is null or t.warehouse_code = :warehouseCode)
  and (:chargeCode::text is null or t.charge_code = :chargeCode) and t.half_hour >= :first and t.half_hour < :end`;

/** The imports that completed since, with what they added then: what counts of them now, less the later changes. */
const completedSql = (table: string, sign: string) => `
  select i.position as by_import, null::bigint as by_reversal, t.customer_id, t.charge_code, t.half_hour, t.import_position, t.row_numbers,
         ${sign}t.quantity as quantity, ${sign}t.row_count as row_count
    from imports i join ${table} t on t.import_position = i.position
   where i.organisation_id = :organisationId and i.kind = 'activities' and i.status = 'completed' and i.finished_at > :since and ${passes}`;

const entriesSql = `
  ${completedSql("activity_totals", "")}
  union all ${completedSql("activity_changes", "-")}
  union all
  select t.by_import, case when t.by_import is null then t.changed_position end, t.customer_id, t.charge_code, t.half_hour, t.import_position,
         t.row_numbers, t.quantity, t.row_count
    from activity_changes t where t.changed_at > :since and ${passes}`;

const instant = instantSql("a.activity_timestamp");

/** Where a half hour lies in the range only in part, its rows are looked at. */
const changesSql = `
  with amounts as (
    select by_import, by_reversal, customer_id, charge_code, sum(part.quantity) as quantity, sum(part.row_count) as row_count
      from (${entriesSql}) as entry cross join lateral (
        select entry.quantity, entry.row_count where entry.half_hour <> all(:cut::timestamptz[])
        union all
        select sign(entry.row_count::numeric) * a.quantity, sign(entry.row_count::numeric)
          from unnest(entry.row_numbers) as n (number)
         cross join lateral (select * from activities where import_position = entry.import_position and "row" = n.number limit 1) as a
         where entry.half_hour = any(:cut::timestamptz[]) and ${instant} >= :from and ${instant} < :to) as part
     group by 1, 2, 3, 4 having sum(part.quantity) <> 0 or sum(part.row_count) <> 0
     limit :most),
  causes as (
    select by_import, by_reversal, json_agg(json_build_object('customerId', nullif(customer_id, ''), 'chargeCode', charge_code,
             'quantity', trim_scale(quantity)::text, 'rows', row_count::float8) order by customer_id, charge_code) as amounts
      from amounts group by 1, 2)
  select i.import_id as "importId", r.reversal_id as "reversalId", coalesce(r.at, i.finished_at) as at, i.source_details as "sourceDetails",
         r.reason, coalesce(r.reversed_by, i.requested_by) as actor, amounts
    from causes
    left join reversals r on r.position = causes.by_reversal
    join imports i on i.position = coalesce(causes.by_import, r.import_position)
   order by 3, coalesce(causes.by_reversal, causes.by_import)`;

export type ImportAmounts = Awaited<ReturnType<typeof importAmounts>>;

/**
 * What the activities of a completed import, or only these rows of it, add to the totals. What does not count any more adds nothing. By customer and
 * charge code: the first amounts, where there are many, and the number of rows of all.
 */
export async function importAmounts(
  organisationId: string,
  { importId, rows, most }: { readonly importId: string; readonly rows: readonly number[] | undefined; readonly most: number },
  database: Database,
) {
  const values = [organisationId, importId, most, ...(rows ? [rows] : [])];
  const found = await database.query<ChangedAmount & { allRows: number }>(rows ? ofRows : ofImport, values);
  return { amounts: found.rows.map(({ allRows: _, ...amount }) => amount), allRows: found.rows[0]?.allRows ?? 0 };
}

const summedOfImport = (counted: string) => `
  select nullif(customer_id, '') as "customerId", charge_code as "chargeCode", trim_scale(sum(quantity))::text as quantity,
         sum(row_count)::float8 as rows, (sum(sum(row_count)) over ())::float8 as "allRows"
    from imports i cross join lateral (${counted}) as counted
   where i.organisation_id = $1 and i.import_id = $2 and i.status = 'completed'
   group by customer_id, charge_code order by customer_id, charge_code limit $3`;

const ofImport = summedOfImport(
  "select customer_id, charge_code, quantity, row_count from activity_totals where import_position = i.position",
);

const ofRows = summedOfImport(`
  select left(coalesce(a.customer_id, ''), ${longestKey}) as customer_id, left(a.charge_code, ${longestKey}) as charge_code, a.quantity, 1 as row_count
    from activities a where a.import_position = i.position and a."row" = any($4::integer[]) and ${isCountedSql("a")}`);
