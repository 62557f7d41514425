// Ends a delivery, or lets it wait again, without an attempt.
import type { Pool } from "pg";
import { patienceMs } from "../../../domain/webhooks/endpoint.js";
import type { ClaimedDelivery } from "./claimDeliveries.js";

/** Gives up a delivery that has failed for three days while its endpoint accepts others. Deliveries to a dead endpoint stay. */
export async function giveUpDelivery(pool: Pool, { id }: ClaimedDelivery): Promise<void> {
  await pool.query(
    `with failed as (
       update webhook_deliveries set status = 'failed', ended_at = now()
        where id = $1 and status = 'waiting' and claim is null and failing_since <= now() - ${patienceMs} * interval '1 millisecond'
       returning endpoint_id, import_id
     )
     update webhook_deliveries later set due_at = now() from failed
      where later.endpoint_id = failed.endpoint_id and later.import_id = failed.import_id and later.status = 'waiting' and later.claim is null`,
    [id],
  );
}

/** Puts back a delivery that was not sent for a reason other than the endpoint: a store was away, or the process is to stop. */
export async function putBackDelivery(pool: Pool, { id, claim }: ClaimedDelivery, laterMs: number): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, due_at = now() + $3 * interval '1 millisecond' where id = $1 and claim = $2 and status = 'waiting'",
    [id, claim, laterMs],
  );
}

/** There is nothing to send: the log does not have the event. */
export async function dropDelivery(pool: Pool, { id, claim }: ClaimedDelivery, reason: string): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, status = 'dropped', ended_at = now(), reason = $3 where id = $1 and claim = $2",
    [id, claim, reason],
  );
}
