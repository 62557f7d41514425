// The activities of completed imports, summed. A part of the projection of activities: the sums come from its rows, once per import.
import type { PoolClient } from "pg";
import type { ImportFacts } from "../sortedBatch.js";
import { halfHourSql, instantSql } from "../tables/activityTime.js";

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
  await client.query(insertTotals, [positions, completed.map(({ organisationId }) => organisationId)]);
  await client.query("set local enable_sort = on");
  await client.query(
    `insert into activity_groups (organisation_id, ${group})
     select distinct organisation_id, ${group} from activity_totals where import_position = any($1::bigint[])
     on conflict do nothing`,
    [positions],
  );
}

/**
 * The sums of a large import stay in memory. To hash the rows of a group takes a third of the time of sorting them; Postgres 16 and 17
 * then take the small sorts that are left for very dear ones, and would compile the statement.
 */
const forLargeImports = "set local work_mem = '64MB'; set local enable_sort = off; set local jit = off";

/** `offset 0`: each row's half hour is worked out once, not for the condition again. */
const insertTotals = `
  insert into activity_totals (organisation_id, ${group}, half_hour, import_position, quantity, row_count, row_numbers)
  select organisation_id, ${group}, half_hour, import_position, quantity, row_count, array(select n from unnest(row_numbers) as n order by n)
    from (select import_position, ${group}, half_hour, sum(quantity) as quantity,
                 count(*)::integer as row_count, array_agg("row") as row_numbers
            from (select import_position, "row", quantity, ${keys},
                         ${halfHourSql(instantSql("activity_timestamp"))} as half_hour
                    from activities where import_position = any($1::bigint[]) offset 0) as timed
           where half_hour is not null
           group by import_position, ${group}, half_hour) as sums
    join unnest($1::bigint[], $2::text[]) as completed (import_position, organisation_id) using (import_position)
  on conflict do nothing`;
