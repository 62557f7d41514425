import { randomUUID } from "node:crypto";
import { pauseWebhook, removeWebhook } from "../../../commands/organisations/webhooks.js";
import { Rejection } from "../../../domain/rejection.js";
import { addressRefusal } from "../../../domain/webhooks/address.js";
import { EventGone, webhookMessageOf } from "../../../queries/webhooks/message.js";
import { type WebhookWorkerDeps, workerOf } from "../deps.js";
import type { ClaimedDelivery } from "./claimDeliveries.js";
import { attemptSeconds, claimSeconds } from "./deliveryDeadlines.js";
import type { OutcomeWriter } from "./outcomeWriter.js";
import { retryUntilWritten } from "./retryUntilWritten.js";
import { signedHeaders } from "./signedHeaders.js";
import { dropDelivery, giveUpDelivery, putBackDelivery } from "./withoutAttempt.js";

const outageMs = 5_000;
/** A request that begins later might end after its claim. By then another process may have sent this delivery and the import's next one. */
const latestStartMs = (claimSeconds - attemptSeconds) * 1_000;
const gone = 410;

/** Makes one attempt and writes its outcome. Pauses or removes the endpoint if the outcome requires it. */
export async function deliver(deps: WebhookWorkerDeps, delivery: ClaimedDelivery, outcomes: OutcomeWriter): Promise<void> {
  const { pool, logger, signal } = deps;
  const body = await webhookMessageOf(delivery, deps).catch((error: unknown) => {
    if (error instanceof EventGone) return retryUntilWritten(() => dropDelivery(pool, delivery, error.message), signal);
    if (!signal.aborted)
      logger.warn({ err: error, eventId: delivery.eventId }, "the event of a webhook could not be read; it is tried again later");
    return retryUntilWritten(() => putBackDelivery(pool, delivery, outageMs), signal);
  });
  if (body === undefined) return;
  if (performance.now() - delivery.claimedAt > latestStartMs) return retryUntilWritten(() => putBackDelivery(pool, delivery, 0), signal);
  const { protocol } = new URL(delivery.url);
  const answer = await deps.post({
    url: delivery.url,
    headers: signedHeaders(delivery, body, deps.signingSecret),
    body,
    whyNot: (address) => addressRefusal(address, protocol, deps.rules),
    signal,
  });
  if (signal.aborted && answer.status === null) return putBackDelivery(pool, delivery, 0);
  if (answer.reason === null) return outcomes.delivered({ delivery, answer });
  const isGone = answer.status === gone;
  // The endpoint is removed before the outcome is written: after that the import's next delivery may be sent.
  if (isGone) await decide(deps, delivery, removeWebhook, "It answered 410 Gone.");
  const { endpointIsDead, isOver } = await outcomes.failed({ delivery, answer, isLast: isGone });
  if (isGone) return;
  if (endpointIsDead) await decide(deps, delivery, pauseWebhook, "No delivery has succeeded for three days.");
  else if (isOver) await giveUpDelivery(pool, delivery);
}

async function decide(deps: WebhookWorkerDeps, delivery: ClaimedDelivery, command: typeof removeWebhook, reason: string): Promise<void> {
  const { organisationId, endpointId } = delivery;
  const origin = { by: workerOf(deps), correlationId: randomUUID() };
  await command(deps.organisations, { organisationId, endpointId }, origin, reason).catch((error: unknown) => {
    if (!(error instanceof Rejection && error.code === "notFound")) throw error; // the endpoint was removed meanwhile
  });
  deps.logger.info({ organisationId, endpointId, reason }, "a webhook endpoint was paused or removed");
}
