// The activities of completed imports, summed. A part of the projection of activities: the sums come from its rows, once per import.
import type { PoolClient } from "pg";
import type { ImportFacts } from "../sortedBatch.js";
import { certainInstantSql, halfHourSql, instantSql, isNoTime } from "../tables/activityTime.js";

const group = "customer_id, warehouse_code, charge_code";
/** Longer ones are refused today. What an older version let in must still fit into an index. */
const longest = 200;
const keys = `left(coalesce(customer_id, ''), ${longest}) as customer_id, left(warehouse_code, ${longest}) as warehouse_code,
              left(charge_code, ${longest}) as charge_code`;

/** An import that has its totals keeps them. */
export async function writeTotals(client: PoolClient, completed: readonly ImportFacts[]): Promise<void> {
  if (completed.length === 0) return;
  const positions = completed.map(({ position }) => position);
  await client.query(forLargeImports);
  await insertTotals(client, [positions, completed.map(({ organisationId }) => organisationId)]);
  await client.query("set local enable_sort = on");
  await client.query(
    `insert into activity_groups (organisation_id, ${group})
     select distinct organisation_id, ${group} from activity_totals where import_position = any($1::bigint[])
     on conflict do nothing`,
    [positions],
  );
}

/**
 * The sums of a large import stay in memory. To hash the rows of a group takes a third of the time of sorting them, and leaves them in
 * their order. With sorts switched off Postgres may estimate a high cost and compile the statement first, which takes longer than running it.
 */
const forLargeImports = "set local work_mem = '64MB'; set local enable_sort = off; set local enable_hashagg = on; set local jit = off";

/** The importer lets in only what is a time for Postgres too. Should an older version have let in another text, its row is in no total. */
async function insertTotals(client: PoolClient, values: readonly [positions: string[], organisations: string[]]): Promise<void> {
  await client.query("savepoint before_totals");
  try {
    await client.query(totalsBy(certainInstantSql), [...values]);
  } catch (error) {
    if (!isNoTime(error)) throw error;
    await client.query("rollback to savepoint before_totals");
    await client.query(totalsBy(instantSql), [...values]);
  }
}

/** Each import's rows come in their order, from the index, so that a group's row numbers need no sort; `offset 0` keeps it so. */
const totalsBy = (instant: (text: string) => string): string => `
  insert into activity_totals (organisation_id, ${group}, half_hour, import_position, quantity, row_count, row_numbers)
  select organisation_id, ${group}, half_hour, import_position, sum(quantity), count(*)::integer, array_agg("row")
    from unnest($1::bigint[], $2::text[]) as completed (import_position, organisation_id)
   cross join lateral (
     select "row", quantity, ${keys}, ${halfHourSql(instant("activity_timestamp"))} as half_hour
       from activities where activities.import_position = completed.import_position order by "row" offset 0) as timed
   where half_hour is not null
   group by organisation_id, import_position, ${group}, half_hour
  on conflict do nothing`;
