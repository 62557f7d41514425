// What changed the totals since a time (completed imports and reversals), and what one import adds to them. Both are read from the totals
// and their changes, so the cost depends on the size of these and not of the imports.
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { instantSql, isCountedSql, maxCodeLength } from "../../projections/tables/activities.js";
import { filterValues } from "./activityFilter.js";
import { type ActivityTotal, type TotalsFilter, tooManyAmounts } from "./activityTotals.js";

/** The difference from before; negative for less. */
export type ChangedAmount = Omit<ActivityTotal, "warehouseCode">;

export interface TotalsChange {
  /** The import that completed, or of which rows were reversed. */
  readonly importId: string;
  /** Null for an import that completed. */
  readonly reversalId: string | null;
  readonly at: Date;
  /** The import's reference. */
  readonly sourceDetails: string;
  /** Why the rows were reversed; null for an import that completed. */
  readonly reason: string | null;
  /** `kind:id` of who pushed the import or reversed its rows. */
  readonly actor: string;
  readonly amounts: readonly ChangedAmount[];
}

export const maxAmounts = 10_000;

/** The changes since a time, oldest first. Their sum is the difference between the present totals and those as of `since`. */
export async function totalChanges(
  organisationId: string,
  filter: Omit<TotalsFilter, "asOf">,
  since: Date,
  database: Database,
): Promise<TotalsChange[]> {
  const values = { ...filterValues(organisationId, filter), since, most: maxAmounts + 1 };
  const { rows } = await database.query<TotalsChange>(bindNames(changesSql, values));
  const amounts = rows.reduce((sum, row) => sum + row.amounts.length, 0);
  if (amounts > maxAmounts)
    throw tooManyAmounts(`There are more than ${maxAmounts} amounts: narrow them by dates, customer or a later time`);
  return rows;
}

const passesFilterSql = `t.organisation_id = :organisationId and (:customerId::text is null or t.customer_id = :customerId) and (:warehouseCode::text is null or t.warehouse_code = :warehouseCode)
  and (:chargeCode::text is null or t.charge_code = :chargeCode) and t.half_hour >= :first and t.half_hour < :end`;

/** SQL for what the imports that completed after `since` added then: their present part of the totals, less the later changes. */
const completedSql = (table: string, sign: string) => `
  select i.position as by_import, null::bigint as by_reversal, t.customer_id, t.charge_code, t.half_hour, t.import_position, t.row_numbers,
         ${sign}t.quantity as quantity, ${sign}t.row_count as row_count
    from imports i join ${table} t on t.import_position = i.position
   where i.organisation_id = :organisationId and i.kind = 'activities' and i.status = 'completed' and i.finished_at > :since and ${passesFilterSql}`;

const entriesSql = `
  ${completedSql("activity_totals", "")}
  union all ${completedSql("activity_changes", "-")}
  union all
  select t.by_import, case when t.by_import is null then t.changed_position end, t.customer_id, t.charge_code, t.half_hour, t.import_position,
         t.row_numbers, t.quantity, t.row_count
    from activity_changes t where t.changed_at > :since and ${passesFilterSql}`;

const instantOfRowSql = instantSql("a.activity_timestamp");

/** Reads the rows of a half hour that lies only partly in the range. */
const changesSql = `
  with amounts as (
    select by_import, by_reversal, customer_id, charge_code, sum(part.quantity) as quantity, sum(part.row_count) as row_count
      from (${entriesSql}) as entry cross join lateral (
        select entry.quantity, entry.row_count where entry.half_hour <> all(:cut::timestamptz[])
        union all
        select sign(entry.row_count::numeric) * a.quantity, sign(entry.row_count::numeric)
          from unnest(entry.row_numbers) as n (number)
         cross join lateral (select * from activities where import_position = entry.import_position and "row" = n.number limit 1) as a
         where entry.half_hour = any(:cut::timestamptz[]) and ${instantOfRowSql} >= :from and ${instantOfRowSql} < :to) as part
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
 * What a completed import, or only these rows of it, adds to the totals, by customer and charge code. Activities that no longer count add
 * nothing. Returns at most `max` amounts, and the number of rows of all amounts, also of those beyond `max`.
 */
export async function importAmounts(
  organisationId: string,
  { importId, rows, max }: { readonly importId: string; readonly rows: readonly number[] | undefined; readonly max: number },
  database: Database,
) {
  const values = [organisationId, importId, max, ...(rows ? [rows] : [])];
  const found = await database.query<ChangedAmount & { allRows: number }>(rows ? amountsOfRowsSql : amountsOfImportSql, values);
  return { amounts: found.rows.map(({ allRows: _, ...amount }) => amount), allRows: found.rows[0]?.allRows ?? 0 };
}

const summedAmountsSql = (countedSql: string) => `
  select nullif(customer_id, '') as "customerId", charge_code as "chargeCode", trim_scale(sum(quantity))::text as quantity,
         sum(row_count)::float8 as rows, (sum(sum(row_count)) over ())::float8 as "allRows"
    from imports i cross join lateral (${countedSql}) as counted
   where i.organisation_id = $1 and i.import_id = $2 and i.status = 'completed'
   group by customer_id, charge_code order by customer_id, charge_code limit $3`;

const amountsOfImportSql = summedAmountsSql(
  "select customer_id, charge_code, quantity, row_count from activity_totals where import_position = i.position",
);

const amountsOfRowsSql = summedAmountsSql(`
  select left(coalesce(a.customer_id, ''), ${maxCodeLength}) as customer_id, left(a.charge_code, ${maxCodeLength}) as charge_code, a.quantity, 1 as row_count
    from activities a where a.import_position = i.position and a."row" = any($4::integer[]) and ${isCountedSql("a")}`);
