import type { Pool } from "pg";

/** The number of queued and running imports of all organisations. */
export async function unfinishedImports(database: Pick<Pool, "query">): Promise<number> {
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from import_queue");
  return rows[0]?.count ?? 0;
}
