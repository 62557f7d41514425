// Writes the outcomes of attempts, many in one statement. Writes nothing for a delivery that has ended or that another process has claimed.
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import { backOffMs } from "../../../backOff.js";
import { maxFailingMs, probePauses, retryPauses } from "../../../domain/webhooks/endpoint.js";
import { StoreUnavailable } from "../../../portErrors.js";
import type { WebhookAnswer } from "../../../ports/webhooks.js";
import { batched } from "../../waiting/batched.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { claimSeconds } from "./chooseDeliveries.js";
import type { ClaimedDelivery } from "./claimDeliveries.js";

export interface DeliveryAttempt {
  readonly delivery: ClaimedDelivery;
  readonly answer: WebhookAnswer;
}

const outcomesSql = `jsonb_to_recordset($1) as attempt (id bigint, claim text, milliseconds int, status int, reason text, answer text,
  "wasDown" boolean, "nextMs" int, "probeMs" int, "isLast" boolean)`;
const answerColumnsSql = "attempt.milliseconds, attempt.status as answered, attempt.reason as why, attempt.answer";
const addAttemptsSql = `
  insert into webhook_attempts (delivery_id, attempt, at, milliseconds, status, reason, answer)
  select id, attempts, now(), milliseconds, answered, why, answer from written on conflict do nothing`;

const valuesOf = ({ delivery: { id, claim }, answer }: DeliveryAttempt) => ({ id, claim, ...answer });

/** An endpoint with this many failures in a row counts as down. */
const minFailuresDown = 3;

/**
 * Makes the import's other waiting deliveries due; the oldest is sent next. If the endpoint was down, makes all its waiting deliveries due. A
 * ping does not change an endpoint's health, except that a new endpoint then counts as working.
 */
async function writeDelivered(pool: Pool, attempts: readonly DeliveryAttempt[]): Promise<void> {
  await pool.query(
    `with written as (
       update webhook_deliveries delivery
          set status = 'delivered', claim = null, ended_at = now(), reason = null, attempts = delivery.attempts + 1
         from ${outcomesSql}
        where delivery.id = attempt.id and delivery.claim = attempt.claim and delivery.status = 'waiting'
       returning delivery.id, endpoint_id, import_id, attempts, type, "wasDown", ${answerColumnsSql}
     ), attempted as (${addAttemptsSql}
     ), healthy as (
       insert into webhook_health (endpoint_id, failures, succeeded_at)
       select distinct endpoint_id, 0, now() from written where type <> 'ping'
       on conflict (endpoint_id) do update set failures = 0, failing_since = null, retry_at = null, succeeded_at = now()
     ), tried as (
       insert into webhook_health (endpoint_id, failures, succeeded_at)
       select distinct endpoint_id, 0, now() from written where endpoint_id not in (select endpoint_id from written where type <> 'ping')
       on conflict (endpoint_id) do nothing
     ), released as (
       update webhook_deliveries later set due_at = now() from (select distinct endpoint_id from written where "wasDown") as back
        where later.endpoint_id = back.endpoint_id and later.status = 'waiting' and later.claim is null and later.due_at > now()
     )
     update webhook_deliveries later set due_at = now() from written
      where later.endpoint_id = written.endpoint_id and later.import_id = written.import_id and later.status = 'waiting'
        and later.claim is null and later.due_at > now() and not "wasDown"`,
    [JSON.stringify(attempts.map((each) => ({ ...valuesOf(each), wasDown: each.delivery.endpointFailures >= minFailuresDown })))],
  );
}

interface FailedAttempt extends DeliveryAttempt {
  /** Whether the delivery ends with this failure. */
  readonly isLast: boolean;
}

interface FailureOutcome {
  /** For three days the endpoint has only failed. It is to be paused. */
  readonly endpointIsDead: boolean;
  /** This delivery has failed for three days. */
  readonly hasFailedTooLong: boolean;
}

/**
 * Delays the import's later deliveries until the failed one is due again, or makes them due if it has ended. A ping is tried once, and its
 * failure does not count for the endpoint.
 */
async function writeFailed(pool: Pool, attempts: readonly FailedAttempt[], random: () => number): Promise<FailureOutcome[]> {
  const { rows } = await pool.query<FailureOutcome & { id: string }>(
    `with written as (
       update webhook_deliveries delivery
          set claim = null, reason = attempt.reason, attempts = delivery.attempts + 1, failures = delivery.failures + 1,
              failing_since = coalesce(failing_since, now()), due_at = now() + "nextMs" * interval '1 millisecond',
              status = case when "isLast" then 'failed' else 'waiting' end, ended_at = case when "isLast" then now() end
         from ${outcomesSql}
        where delivery.id = attempt.id and delivery.claim = attempt.claim and delivery.status = 'waiting'
       returning delivery.id, endpoint_id, import_id, position, attempts, due_at, delivery.status, type, "probeMs", ${answerColumnsSql},
              failing_since <= now() - ${maxFailingMs} * interval '1 millisecond' as is_over
     ), attempted as (${addAttemptsSql}
     ), health as (
       insert into webhook_health (endpoint_id, failures, failing_since, retry_at)
       select endpoint_id, count(*), now(), now() + max("probeMs") * interval '1 millisecond' from written where type <> 'ping' group by endpoint_id
       on conflict (endpoint_id) do update set failures = webhook_health.failures + excluded.failures,
          failing_since = coalesce(webhook_health.failing_since, now()), retry_at = excluded.retry_at
       returning endpoint_id, failing_since <= now() - ${maxFailingMs} * interval '1 millisecond' as "endpointIsDead"
     ), later as (
       update webhook_deliveries later set due_at = case when written.status = 'failed' then now() else written.due_at end from written
        where later.endpoint_id = written.endpoint_id and later.import_id = written.import_id and later.status = 'waiting'
          and later.position > written.position and later.claim is null
     )
     select id::text, coalesce("endpointIsDead", false) as "endpointIsDead", is_over as "hasFailedTooLong"
       from written left join health on health.endpoint_id = written.endpoint_id and written.type <> 'ping'`,
    [JSON.stringify(attempts.map((each) => ({ ...valuesOf(each), ...pausesAfter(each, random) })))],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return attempts.map(({ delivery: { id } }) => byId.get(id) ?? { endpointIsDead: false, hasFailedTooLong: false });
}

const pausesAfter = ({ delivery: { type, failures, endpointFailures }, isLast }: FailedAttempt, random: () => number) => ({
  nextMs: backOffMs(failures + 1, retryPauses, random),
  probeMs: backOffMs(endpointFailures + 1, probePauses, random),
  isLast: isLast || type === "ping",
});

const batching = { maxBatch: 100, isOutage: (error: unknown) => error instanceof StoreUnavailable };

export type OutcomeWriter = ReturnType<typeof createOutcomeWriter>;

/** For each kind of outcome one statement runs at a time, so that a thousand failures leave connections of the pool to the imports. */
export const createOutcomeWriter = ({ pool, signal, random = Math.random }: Pick<WebhookWorkerDeps, "pool" | "signal" | "random">) => ({
  recordDelivered: batched(async (batch: readonly DeliveryAttempt[]) => {
    await retryUntilWritten(() => writeDelivered(pool, batch), signal);
    return batch.map(() => undefined);
  }, batching),
  recordFailed: batched((batch: readonly FailedAttempt[]) => retryUntilWritten(() => writeFailed(pool, batch, random), signal), batching),
});

const writePauses = { firstMs: 100, maxMs: 2_000 };

/**
 * Tries again while the database is unavailable, since a delivery without a written outcome is sent again when its claim ends. `write` must
 * change nothing if it was done before, or if another process has claimed the delivery.
 */
export async function retryUntilWritten<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const end = performance.now() + claimSeconds * 1_000;
  for (let failures = 1; ; failures += 1) {
    try {
      return await write();
    } catch (error) {
      const pauseMs = backOffMs(failures, writePauses);
      if (!(error instanceof StoreUnavailable) || signal.aborted || performance.now() + pauseMs > end) throw error;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
