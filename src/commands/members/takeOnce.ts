import type { Pool } from "pg";
import { hashToken } from "../../domain/members/link.js";

/** The longest time that something may be taken in: it has expired by itself when its row is deleted. */
export const takeOnceMinutes = 10;

/** True the first time only, of all API processes together: for what a browser brings back and what must not be accepted again. */
export async function takeOnce(pool: Pool, token: string): Promise<boolean> {
  await pool.query("delete from used_states where expires_at < now()");
  const { rowCount } = await pool.query(
    `insert into used_states (sha256, expires_at) values ($1, now() + interval '${takeOnceMinutes} minutes') on conflict do nothing`,
    [hashToken(token)],
  );
  return rowCount === 1;
}
