import type { Pool } from "pg";
import type { ActivityFilter } from "./activityFilter.js";
import { type FoundActivity, findActivities } from "./activityRows.js";

const rowsAtOnce = 2_000;

/**
 * Every row that passes the filter, in batches, all from one snapshot of the ledger: an import that completes during the download is not in
 * it. Holds a connection until it ends or is given up (`return`).
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
