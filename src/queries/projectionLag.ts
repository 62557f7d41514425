import type { Pool } from "pg";

/**
 * Seconds since the tables were last up to date, by the database's clock; undefined before the first projector has run. A projection that is
 * new after an upgrade, and still being filled from the log, does not count.
 */
export async function projectionLagSeconds(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(updated_at))::float8 as seconds from checkpoints
      where projection <> 'webhooks' and commit >= coalesce((select commit from checkpoints where projection = 'imports'), commit)`,
  );
  const seconds = rows[0]?.seconds ?? undefined;
  return seconds === undefined ? undefined : Math.max(0, seconds);
}
