import type { Pool } from "pg";
import type { Database } from "../../ports/database.js";

/** The codes of the organisation's activities, for the lists of a form. `withoutCustomer`: whether some activities name no customer. */
export type ActivityChoices = Awaited<ReturnType<typeof activityChoices>>;

/** A longer list is too long to choose from. One more entry is read, so that the caller can tell. */
export const maxChoices = 300;

const distinctSql = (column: string) => `
  array(select distinct ${column} from activity_groups where organisation_id = $1 order by 1 limit ${maxChoices + 1})`;

export async function activityChoices(organisationId: string, pool: Pool) {
  const { rows } = await pool.query<{ customers: string[]; warehouses: string[]; charges: string[] }>(
    `select ${distinctSql("customer_id")} as customers, ${distinctSql("warehouse_code")} as warehouses, ${distinctSql("charge_code")} as charges`,
    [organisationId],
  );
  const { customers = [], warehouses = [], charges = [] } = rows[0] ?? {};
  const customerIds = customers.filter((id) => id !== "");
  return { customerIds, warehouseCodes: warehouses, chargeCodes: charges, withoutCustomer: customers.length > customerIds.length };
}

/** How many rows of the organisation's newest completed import of activities are read. */
const maxRowsRead = 1_000;
const maxCodes = 3;

/** The most frequent warehouse and charge codes of the organisation's newest import, for an example file. */
export async function recentCodes(organisationId: string, pool: Database) {
  const { rows } = await pool.query<{ code: string; part: "warehouse" | "charge" }>(
    `with newest as (select position from imports where organisation_id = $1 and kind = 'activities' and status = 'completed' and processed > 0
                      order by position desc limit 1),
          sampled as (select warehouse_code, charge_code from activities where import_position = (select position from newest) limit ${maxRowsRead})
     (select warehouse_code as code, 'warehouse' as part from sampled group by 1 order by count(*) desc, 1 limit ${maxCodes})
     union all
     (select charge_code, 'charge' from sampled group by 1 order by count(*) desc, 1 limit ${maxCodes})`,
    [organisationId],
  );
  const codesOf = (wanted: "warehouse" | "charge") => rows.flatMap(({ code, part }) => (part === wanted ? [code] : []));
  return { warehouseCodes: codesOf("warehouse"), chargeCodes: codesOf("charge") };
}
