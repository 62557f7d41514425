import type { Pool } from "pg";
import { keptDays } from "../../commands/webhooks/deliveries.js";

const atOnce = 5_000;

/** Forgets settled deliveries after 30 days, with their attempts, and what was meant for endpoints that are removed. */
export async function keepDeliveries(pool: Pool): Promise<void> {
  await pool.query(
    `update webhook_deliveries delivery set status = 'dropped', settled_at = now(), reason = 'The endpoint was removed'
       from webhook_endpoints endpoint
      where endpoint.endpoint_id = delivery.endpoint_id and endpoint.removed_at is not null and delivery.status = 'waiting'
        and delivery.claim is null`,
  );
  for (let forgotten = atOnce; forgotten === atOnce; ) {
    const { rowCount } = await pool.query(
      `with old as (
         delete from webhook_deliveries where id in (select id from webhook_deliveries
          where status <> 'waiting' and settled_at < now() - interval '${keptDays} days' limit ${atOnce}) returning id
       ), attempts as (delete from webhook_attempts where delivery_id in (select id from old))
       select id from old`,
    );
    forgotten = rowCount ?? 0;
  }
}
