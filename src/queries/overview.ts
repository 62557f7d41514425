import type { Pool } from "pg";

/** Rejected rows of all the organisation's imports that have ended. */
export async function rejectedRowsOf(database: Pick<Pool, "query">, organisationId: string): Promise<number> {
  const { rows } = await database.query<{ rejected: number }>(
    `select coalesce(sum(failed), 0)::float8 as rejected from imports
      where organisation_id = $1 and status in ('completed', 'failed', 'cancelled')`,
    [organisationId],
  );
  return rows[0]?.rejected ?? 0;
}
