import type { Pool } from "pg";
import type { Database } from "../../ports/database.js";

/** The codes that the organisation's activities have, for the lists of a filter form. `withoutCustomer`: some activities name no customer. */
export type ActivityChoices = Awaited<ReturnType<typeof activityChoices>>;

/** A longer list is too long to choose from. One entry more is read, so that the caller can tell. */
export const mostChoices = 300;

const distinct = (column: string) => `
  array(select distinct ${column} from activity_groups where organisation_id = $1 order by 1 limit ${mostChoices + 1})`;

export async function activityChoices(organisationId: string, pool: Pool) {
  const { rows } = await pool.query<{ customers: string[]; warehouses: string[]; charges: string[] }>(
    `select ${distinct("customer_id")} as customers, ${distinct("warehouse_code")} as warehouses, ${distinct("charge_code")} as charges`,
    [organisationId],
  );
  const { customers = [], warehouses = [], charges = [] } = rows[0] ?? {};
  const customerIds = customers.filter((id) => id !== "");
  return { customerIds, warehouseCodes: warehouses, chargeCodes: charges, withoutCustomer: customers.length > customerIds.length };
}

/** How many rows of the organisation's newest completed import of activities are read. */
const lookedAt = 1_000;
const most = 3;

/** Warehouse and charge codes that the organisation has used last, the most frequent first. */
export async function usedCodes(organisationId: string, pool: Database) {
  const { rows } = await pool.query<{ code: string; part: "warehouse" | "charge" }>(
    `with newest as (select position from imports where organisation_id = $1 and kind = 'activities' and status = 'completed' and processed > 0
                      order by position desc limit 1),
          sampled as (select warehouse_code, charge_code from activities where import_position = (select position from newest) limit ${lookedAt})
     (select warehouse_code as code, 'warehouse' as part from sampled group by 1 order by count(*) desc, 1 limit ${most})
     union all
     (select charge_code, 'charge' from sampled group by 1 order by count(*) desc, 1 limit ${most})`,
    [organisationId],
  );
  const codesOf = (wanted: "warehouse" | "charge") => rows.flatMap(({ code, part }) => (part === wanted ? [code] : []));
  return { warehouseCodes: codesOf("warehouse"), chargeCodes: codesOf("charge") };
}
