import type { Pool } from "pg";
import { endpointsWithDeliveriesSql } from "./chooseDeliveries.js";

/** When the first delivery to each endpoint is due, the times included at which claims end. */
const deliveries = `
  select greatest(first.due_at, health.retry_at)
    from with_waiting join webhook_endpoints endpoint on endpoint.endpoint_id = with_waiting.endpoint_id
    left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
   cross join lateral (select due_at from webhook_deliveries each where each.endpoint_id = endpoint.endpoint_id and each.status = 'waiting'
      order by each.due_at limit 1) as first
   where endpoint.removed_at is null and endpoint.paused_at is null`;

const pings = "select due_at from webhook_deliveries where status = 'waiting' and type = 'ping'";

const backlogs = `
  select next_at from webhook_backlogs backlog join webhook_endpoints endpoint on endpoint.endpoint_id = backlog.endpoint_id
   where next_at is not null and endpoint.removed_at is null and endpoint.paused_at is null`;

/**
 * How long it is until something may have to be sent, by the database's clock; Infinity if nothing waits. What is due may still have no place, or
 * wait for an earlier delivery of its import.
 */
export async function nextDeliveryInMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `with recursive with_waiting (endpoint_id) as (${endpointsWithDeliveriesSql})
     select extract(epoch from min(at) - now())::float8 * 1000 as ms
       from (${deliveries} union all ${pings} union all ${backlogs}) as due (at)`,
  );
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
}
