import type pg from "pg";

/** Rows of the table that Postgres looked at meanwhile, over this one connection. */
export async function rowsLookedAt(one: pg.Pool, table: string, read: () => Promise<unknown>): Promise<number> {
  const before = await soFar(one, table);
  await read();
  return (await soFar(one, table)) - before;
}

async function soFar(one: pg.Pool, table: string): Promise<number> {
  await one.query("select pg_stat_force_next_flush()"); // it reports before it takes the next statement
  const { rows } = await one.query<{ rows: number }>(
    "select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relname = $1",
    [table],
  );
  return rows[0]?.rows ?? 0;
}
