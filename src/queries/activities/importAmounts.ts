import type { Database } from "../../ports/database.js";
import { isCountedSql, longestKey } from "../../projections/tables/activities.js";
import type { ChangedAmount } from "./totalChanges.js";

export interface ImportAmounts {
  /** By customer and charge code. The first ones, where there are many. */
  readonly amounts: readonly ChangedAmount[];
  /** The number of all their rows. */
  readonly allRows: number;
}

/** What the activities of a completed import, or only these rows of it, add to the totals. What does not count any more adds nothing. */
export async function importAmounts(
  organisationId: string,
  { importId, rows, most }: { readonly importId: string; readonly rows: readonly number[] | undefined; readonly most: number },
  database: Database,
): Promise<ImportAmounts> {
  const values = [organisationId, importId, most, ...(rows ? [rows] : [])];
  const found = await database.query<ChangedAmount & { allRows: number }>(rows ? ofRows : ofImport, values);
  return {
    amounts: found.rows.map(({ customerId, chargeCode, quantity, rows: count }) => ({ customerId, chargeCode, quantity, rows: count })),
    allRows: found.rows[0]?.allRows ?? 0,
  };
}

const summed = (counted: string) => `
  select nullif(customer_id, '') as "customerId", charge_code as "chargeCode", trim_scale(sum(quantity))::text as quantity,
         sum(row_count)::float8 as rows, (sum(sum(row_count)) over ())::float8 as "allRows"
    from imports i cross join lateral (${counted}) as counted
   where i.organisation_id = $1 and i.import_id = $2 and i.status = 'completed'
   group by customer_id, charge_code order by customer_id, charge_code limit $3`;

const ofImport = summed("select customer_id, charge_code, quantity, row_count from activity_totals where import_position = i.position");

const ofRows = summed(`
  select left(coalesce(a.customer_id, ''), ${longestKey}) as customer_id, left(a.charge_code, ${longestKey}) as charge_code, a.quantity, 1 as row_count
    from activities a where a.import_position = i.position and a."row" = any($4::integer[]) and ${isCountedSql("a")}`);
