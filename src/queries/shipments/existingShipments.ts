import type { Pool } from "pg";

/** How many of these shipments the ledger has already. */
export async function existingShipments(pool: Pick<Pool, "query">, organisationId: string, ids: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from shipments where organisation_id = $1 and shipment_id = any($2::text[])",
    [organisationId, ids],
  );
  return rows[0]?.count ?? 0;
}
