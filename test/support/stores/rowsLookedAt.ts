import type pg from "pg";
import { until } from "../processes.js";

/**
 * Removes dead row versions, which Postgres reads and counts too. It vacuums until none is left: an open transaction of this database, such as
 * an automatic analyze, can keep them.
 */
export async function clearDeadRows(pool: pg.Pool): Promise<void> {
  await until("no row is dead", async () => {
    await pool.query("vacuum (analyze, index_cleanup on)");
    const { rowCount } = await pool.query("select from pg_stat_user_tables where n_dead_tup > 0");
    return rowCount === 0;
  });
}

/** How many rows of the table Postgres reads during `read`, which must use the same single connection. */
export async function rowsLookedAt(one: pg.Pool, table: string, read: () => Promise<unknown>): Promise<number> {
  const before = await soFar(one, table);
  await read();
  return (await soFar(one, table)) - before;
}

async function soFar(one: pg.Pool, table: string): Promise<number> {
  await one.query("select pg_stat_force_next_flush()"); // the session reports its counts before its next statement
  const { rows } = await one.query<{ rows: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relname = $1",
    [table],
  );
  return rows[0]?.rows ?? 0;
}
