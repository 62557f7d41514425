// Writes how an attempt ended, in one statement. Writes nothing where the claim has run out meanwhile: another process may hold it.
import type { Pool } from "pg";
import { patienceMs, untilNextMs, untilProbeMs } from "../../../domain/webhooks/patience.js";
import type { WebhookAnswer } from "../../../ports/webhooks.js";
import type { Claimed } from "./claim.js";

const attempted = `
  insert into webhook_attempts (delivery_id, attempt, at, milliseconds, status, reason, answer)
  select id, attempts, now(), $3, $4, $5, $6 from settled on conflict do nothing`;

const valuesOf = ({ id, claim }: Claimed, { milliseconds, status, reason, answer }: WebhookAnswer) => [
  ...[id, claim, milliseconds, status, reason, answer],
];

/** The import's next delivery becomes due; where the endpoint had been failing, all that wait for it do. */
export async function settleDelivered(pool: Pool, delivery: Claimed, answer: WebhookAnswer): Promise<void> {
  await pool.query(
    `with settled as (
       update webhook_deliveries set status = 'delivered', claim = null, settled_at = now(), reason = null, attempts = attempts + 1
        where id = $1 and claim = $2 and status = 'waiting' returning id, endpoint_id, import_id, attempts, type
     ), attempted as (${attempted}
     ), healthy as (
       insert into webhook_health (endpoint_id, failures, succeeded_at) select endpoint_id, 0, now() from settled where type <> 'ping'
       on conflict (endpoint_id) do update set failures = 0, failing_since = null, retry_at = null, succeeded_at = now()
     )
     update webhook_deliveries later set due_at = now() from settled
      where later.endpoint_id = settled.endpoint_id and later.status = 'waiting' and later.claim is null and later.due_at > now()
        and later.id <> settled.id and (later.import_id = settled.import_id or $7)`,
    [...valuesOf(delivery, answer), delivery.endpointFailures >= wasDead],
  );
}

const wasDead = 3;

export interface Failed {
  /** Three days without a success: the endpoint is to be paused. */
  readonly endpointIsDead: boolean;
  /** This delivery has been tried for three days. */
  readonly isOver: boolean;
}

/** Later ones of the import are not looked at before this one is due again. A ping is tried once and says nothing about an endpoint. */
export async function settleFailed(
  pool: Pool,
  delivery: Claimed,
  answer: WebhookAnswer,
  { isLast, random }: { isLast: boolean; random: () => number },
): Promise<Failed> {
  const isPing = delivery.type === "ping";
  const { rows } = await pool.query<Failed>(
    `with settled as (
       update webhook_deliveries set claim = null, reason = $5, attempts = attempts + 1, failures = failures + 1,
              failing_since = coalesce(failing_since, now()), due_at = now() + $7 * interval '1 millisecond',
              status = case when $9 then 'failed' else 'waiting' end, settled_at = case when $9 then now() end
        where id = $1 and claim = $2 and status = 'waiting' returning id, endpoint_id, import_id, position, attempts, due_at, status,
              failing_since <= now() - ${patienceMs} * interval '1 millisecond' as is_over
     ), attempted as (${attempted}
     ), health as (
       insert into webhook_health (endpoint_id, failures, failing_since) select endpoint_id, 1, now() from settled where not $10
       on conflict (endpoint_id) do update set failures = webhook_health.failures + 1,
          failing_since = coalesce(webhook_health.failing_since, now()), retry_at = now() + $8 * interval '1 millisecond'
       returning failing_since <= now() - ${patienceMs} * interval '1 millisecond' as "endpointIsDead"
     ), later as (
       update webhook_deliveries later set due_at = case when settled.status = 'failed' then now() else settled.due_at end from settled
        where later.endpoint_id = settled.endpoint_id and later.import_id = settled.import_id and later.status = 'waiting'
          and later.position > settled.position and later.claim is null
     )
     select coalesce((select "endpointIsDead" from health), false) as "endpointIsDead", is_over as "isOver" from settled`,
    [
      ...valuesOf(delivery, answer),
      untilNextMs(delivery.failures + 1, random),
      untilProbeMs(delivery.endpointFailures + 1, random),
      isLast || isPing,
      isPing,
    ],
  );
  return rows[0] ?? { endpointIsDead: false, isOver: false };
}

/** Gives up a delivery that has failed for three days while its endpoint accepts others. Deliveries to a dead endpoint stay. */
export async function giveUp(pool: Pool, { id }: Claimed): Promise<void> {
  await pool.query(
    `with failed as (
       update webhook_deliveries set status = 'failed', settled_at = now()
        where id = $1 and status = 'waiting' and claim is null and failing_since <= now() - ${patienceMs} * interval '1 millisecond'
       returning endpoint_id, import_id
     )
     update webhook_deliveries later set due_at = now() from failed
      where later.endpoint_id = failed.endpoint_id and later.import_id = failed.import_id and later.status = 'waiting' and later.claim is null`,
    [id],
  );
}

/** Not sent, and not the endpoint's fault: a store was away, or the process is to stop. */
export async function putBack(pool: Pool, { id, claim }: Claimed, laterMs: number): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, due_at = now() + $3 * interval '1 millisecond' where id = $1 and claim = $2 and status = 'waiting'",
    [id, claim, laterMs],
  );
}

/** There is nothing to send: the log does not have the event. */
export async function drop(pool: Pool, { id, claim }: Claimed, reason: string): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, status = 'dropped', settled_at = now(), reason = $3 where id = $1 and claim = $2",
    [id, claim, reason],
  );
}
