import type { Pool } from "pg";

/** The time zone in which the organisation's days begin. */
export async function timezoneOf(pool: Pick<Pool, "query">, organisationId: string): Promise<string> {
  const { rows } = await pool.query<{ timezone: string }>("select timezone from organisations where id = $1", [organisationId]);
  const found = rows[0];
  if (!found) throw new Error(`there is no organisation ${organisationId}`);
  return found.timezone;
}
