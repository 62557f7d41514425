import type { Pool } from "pg";

/** Imports of all organisations that wait or run. */
export async function unfinishedImports(database: Pick<Pool, "query">): Promise<number> {
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from import_queue");
  return rows[0]?.count ?? 0;
}
