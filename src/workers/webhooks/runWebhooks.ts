import type { Pool } from "pg";
import { webhookHistoryDays } from "../../commands/webhooks/deliveries.js";
import { channels } from "../../ports/notices.js";
import { createDoorbell } from "../waiting/doorbell.js";
import { repeatUntilStopped } from "../waiting/repeatUntilStopped.js";
import type { WebhookWorkerDeps } from "./deps.js";
import { runFollower } from "./following/runFollower.js";
import { runSender } from "./sending/runSender.js";

const upkeepMs = 60_000;

/** Runs the follower and the sender of a worker process until the signal aborts. */
export async function runWebhooks(deps: WebhookWorkerDeps): Promise<void> {
  const bell = createDoorbell(deps.signal);
  const stopListening = deps.notices?.on(channels.deliveriesDue, () => bell.ring());
  await Promise.all([
    runFollower({ ...deps, onEndpointsBehind: bell.ring }),
    runSender(deps, bell),
    repeatUntilStopped("cleaning up deliveries", upkeepMs, deps, () => deleteOldDeliveries(deps.pool)),
  ]);
  stopListening?.();
}

const deliveriesPerStatement = 5_000;

/** No pause is this long. A time later than this was written while the database's clock was ahead, and is corrected. */
const tooLateSql = "now() + interval '2 hours'";

/** Deletes old events and old ended deliveries with their attempts, and drops the waiting deliveries of removed endpoints. */
export async function deleteOldDeliveries(pool: Pool): Promise<void> {
  await pool.query(
    `update webhook_deliveries delivery set status = 'dropped', claim = null, ended_at = now(), reason = 'The endpoint was removed'
       from webhook_endpoints endpoint
      where endpoint.endpoint_id = delivery.endpoint_id and endpoint.removed_at is not null and delivery.status = 'waiting'
        and (delivery.claim is null or delivery.due_at <= now())`,
  );
  await pool.query(`update webhook_deliveries set due_at = now() where status = 'waiting' and due_at > ${tooLateSql}`);
  await pool.query(`update webhook_health set retry_at = null where retry_at > ${tooLateSql}`);
  await pool.query(`delete from webhook_events where created_at < now() - interval '${webhookHistoryDays} days'`);
  await pool.query(
    "delete from webhook_backlogs where endpoint_id in (select endpoint_id from webhook_endpoints where removed_at is not null)",
  );
  await pool.query(`update webhook_backlogs set next_at = now() where next_at > ${tooLateSql}`);
  for (let deletedCount = deliveriesPerStatement; deletedCount === deliveriesPerStatement; ) {
    const { rowCount } = await pool.query(
      `with old as (
         delete from webhook_deliveries where id in (select id from webhook_deliveries
          where status <> 'waiting' and ended_at < now() - interval '${webhookHistoryDays} days' limit ${deliveriesPerStatement}) returning id
       ), attempts as (delete from webhook_attempts where delivery_id in (select id from old))
       select id from old`,
    );
    deletedCount = rowCount ?? 0;
  }
}
