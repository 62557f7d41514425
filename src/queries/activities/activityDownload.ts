import type { Pool } from "pg";
import type { ActivityFilter } from "./activityFilter.js";
import { type FoundActivity, findActivities } from "./activityRows.js";

const rowsAtOnce = 2_000;

/**
 * Every row that a filter lets through, some at a time, as the ledger was when it began: an import that completes meanwhile is in none of
 * them. Holds a connection until it ends or is given up (`return`).
 */
export async function* allActivities(organisationId: string, filter: ActivityFilter, pool: Pool): AsyncGenerator<FoundActivity[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin isolation level repeatable read read only");
    for (let after: FoundActivity | undefined; ; ) {
      const rows = await findActivities(organisationId, filter, { after, count: rowsAtOnce }, client);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsAtOnce) break;
      after = rows.at(-1);
    }
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    if (!broken)
      broken = await client.query("rollback").then(
        () => undefined,
        (failure: Error) => failure,
      );
    client.release(broken);
  }
}
