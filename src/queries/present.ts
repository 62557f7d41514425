import type { Pool } from "pg";

/** What a request is judged by now: the organisation's newest catalogue, and the database's clock. */
export interface Present {
  readonly catalogueVersion: number;
  readonly now: Date;
}

export async function presentOf(pool: Pick<Pool, "query">, organisationId: string): Promise<Present> {
  const { rows } = await pool.query<Present>(
    `select catalogue_version as "catalogueVersion", now() as now from organisations where id = $1`,
    [organisationId],
  );
  const present = rows[0];
  if (!present) throw new Error(`there is no organisation ${organisationId}`);
  return present;
}
