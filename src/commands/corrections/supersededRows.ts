import type { Pool } from "pg";

interface RowsOfImport {
  readonly organisationId: string;
  /** Commit position of the import's ImportRequested. */
  readonly position: bigint;
  readonly rows: readonly number[];
}

/** Rejected rows whose shipment an import that was pushed later has written, and which import that is. */
export async function supersededRows(pool: Pool, { organisationId, position, rows }: RowsOfImport): Promise<Map<number, string>> {
  const found = await pool.query<{ row: number; importId: string }>(
    `select r."row", s.import_id as "importId" from rejections r
       join shipments s on s.organisation_id = $1 and s.shipment_id = r.handle and s.import_position > r.import_position
      where r.import_position = $2 and r."row" = any($3::integer[])`,
    [organisationId, position, rows],
  );
  return new Map(found.rows.map(({ row, importId }) => [row, importId]));
}

/** Whether the ledger of shipments has everything that the log has up to this position. */
export async function ledgerHas(pool: Pool, position: bigint): Promise<boolean> {
  const { rowCount } = await pool.query("select from checkpoints where projection = 'shipments' and commit >= $1", [position]);
  return rowCount === 1;
}
