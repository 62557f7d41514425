import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { Webhook } from "standardwebhooks";
import { pauseWebhook, removeWebhook } from "../../../commands/organisations/webhooks.js";
import { workerPrincipal } from "../../../domain/principal.js";
import { Rejection } from "../../../domain/rejection.js";
import { addressRefusal } from "../../../domain/webhooks/address.js";
import { maxFailingMs, webhookSecret } from "../../../domain/webhooks/endpoint.js";
import { EventGone, webhookMessageOf } from "../../../queries/webhooks/message.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { attemptSeconds, claimSeconds } from "./chooseDeliveries.js";
import type { ClaimedDelivery } from "./claimDeliveries.js";
import { type OutcomeWriter, retryUntilWritten } from "./outcomes.js";

const unreadablePauseMs = 5_000;
/** From the start of the claim. A request that starts later might outlast the claim, and another process might send this delivery as well. */
const maxMsBeforeRequest = (claimSeconds - attemptSeconds) * 1_000;
const goneStatus = 410;

/** Makes one attempt, if the event can be read, and writes its outcome. Pauses or removes the endpoint if the outcome requires it. */
export async function deliver(deps: WebhookWorkerDeps, delivery: ClaimedDelivery, outcomes: OutcomeWriter): Promise<void> {
  const { pool, logger, signal } = deps;
  const body = await webhookMessageOf(delivery, deps).catch((error: unknown) => {
    if (error instanceof EventGone) return retryUntilWritten(() => dropDelivery(pool, delivery, error.message), signal);
    if (!signal.aborted)
      logger.warn({ err: error, eventId: delivery.eventId }, "the event of a webhook could not be read; it is tried again later");
    return retryUntilWritten(() => putBackDelivery(pool, delivery, unreadablePauseMs), signal);
  });
  if (body === undefined) return;
  if (performance.now() - delivery.claimStartedAt > maxMsBeforeRequest)
    return retryUntilWritten(() => putBackDelivery(pool, delivery, 0), signal);
  const { protocol } = new URL(delivery.url);
  const answer = await deps.post({
    url: delivery.url,
    headers: signedHeaders(delivery, body, deps.signingSecret),
    body,
    refusalReason: (address) => addressRefusal(address, protocol, deps.rules),
    signal,
  });
  if (signal.aborted && answer.status === null) return putBackDelivery(pool, delivery, 0);
  if (answer.reason === null) return outcomes.recordDelivered({ delivery, answer });
  const isGone = answer.status === goneStatus;
  // The endpoint is removed first: once the outcome is written, the import's next delivery may be sent.
  if (isGone) await stopEndpoint(deps, delivery, removeWebhook, "It answered 410 Gone.");
  const { endpointIsDead, hasFailedTooLong } = await outcomes.recordFailed({ delivery, answer, isLast: isGone });
  if (isGone) return;
  if (endpointIsDead) await stopEndpoint(deps, delivery, pauseWebhook, "No delivery has succeeded for three days.");
  else if (hasFailedTooLong) await giveUpDelivery(pool, delivery);
}

async function stopEndpoint(deps: WebhookWorkerDeps, delivery: ClaimedDelivery, command: typeof removeWebhook, reason: string) {
  const { organisationId, endpointId } = delivery;
  const origin = { by: workerPrincipal(deps), correlationId: randomUUID() };
  await command(deps.organisations, { organisationId, endpointId }, origin, reason).catch((error: unknown) => {
    const isRemoved = error instanceof Rejection && error.code === "notFound"; // by somebody else, after the claim
    if (!isRemoved) throw error;
  });
  deps.logger.info({ organisationId, endpointId, reason }, "a webhook endpoint was paused or removed");
}

type SignedDelivery = Pick<ClaimedDelivery, "eventId" | "endpointId" | "generation" | "signsFrom" | "now">;

/** The headers of Standard Webhooks. For a day after a rotation the earlier secrets sign too. */
export function signedHeaders(delivery: SignedDelivery, body: string, signingSecret: string): Record<string, string> {
  const { eventId, endpointId, generation, signsFrom, now } = delivery;
  const generations = Array.from({ length: generation - signsFrom + 1 }, (_, n) => generation - n);
  const signatures = generations.map((each) => new Webhook(webhookSecret(signingSecret, endpointId, each)).sign(eventId, now, body));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
    "content-type": "application/json",
    "user-agent": "Waybill-Webhooks/1",
  };
}

/** Gives up a delivery that has failed for three days while its endpoint accepts others. Deliveries to a dead endpoint stay. */
async function giveUpDelivery(pool: Pool, { id }: ClaimedDelivery): Promise<void> {
  await pool.query(
    `with failed as (
       update webhook_deliveries set status = 'failed', ended_at = now()
        where id = $1 and status = 'waiting' and claim is null and failing_since <= now() - ${maxFailingMs} * interval '1 millisecond'
       returning endpoint_id, import_id
     )
     update webhook_deliveries later set due_at = now() from failed
      where later.endpoint_id = failed.endpoint_id and later.import_id = failed.import_id and later.status = 'waiting' and later.claim is null`,
    [id],
  );
}

/** Puts back a delivery that was not sent, for a reason other than the endpoint: a store did not answer, or the process is stopping. */
async function putBackDelivery(pool: Pool, { id, claim }: ClaimedDelivery, delayMs: number): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, due_at = now() + $3 * interval '1 millisecond' where id = $1 and claim = $2 and status = 'waiting'",
    [id, claim, delayMs],
  );
}

/** Ends a delivery that has nothing to send, since the event log does not have its event. */
async function dropDelivery(pool: Pool, { id, claim }: ClaimedDelivery, reason: string): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, status = 'dropped', ended_at = now(), reason = $3 where id = $1 and claim = $2",
    [id, claim, reason],
  );
}
