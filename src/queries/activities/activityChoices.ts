import type { Pool } from "pg";

/** The codes that the organisation's activities have, for the lists of a filter form. */
export interface ActivityChoices {
  readonly customerIds: readonly string[];
  readonly warehouseCodes: readonly string[];
  readonly chargeCodes: readonly string[];
  /** Whether some activities name no customer. */
  readonly withoutCustomer: boolean;
}

/** A longer list is too long to choose from. One entry more is read, so that the caller can tell. */
export const mostChoices = 300;

const distinct = (column: string) => `
  array(select distinct ${column} from activity_groups where organisation_id = $1 order by 1 limit ${mostChoices + 1})`;

export async function activityChoices(organisationId: string, pool: Pool): Promise<ActivityChoices> {
  const { rows } = await pool.query<{ customers: string[]; warehouses: string[]; charges: string[] }>(
    `select ${distinct("customer_id")} as customers, ${distinct("warehouse_code")} as warehouses, ${distinct("charge_code")} as charges`,
    [organisationId],
  );
  const { customers = [], warehouses = [], charges = [] } = rows[0] ?? {};
  const customerIds = customers.filter((id) => id !== "");
  return { customerIds, warehouseCodes: warehouses, chargeCodes: charges, withoutCustomer: customers.length > customerIds.length };
}
