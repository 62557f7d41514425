import { Webhook } from "standardwebhooks";
import { webhookSecret } from "../../../domain/webhooks/secret.js";
import type { Claimed } from "./claim.js";

/** The headers of Standard Webhooks. For a day after a rotation both secrets sign. */
export function signedHeaders(delivery: Claimed, body: string, signingSecret: string): Record<string, string> {
  const { eventId, endpointId, generation, overlaps, now } = delivery;
  const generations = overlaps && generation > 1 ? [generation, generation - 1] : [generation];
  const signatures = generations.map((each) => new Webhook(webhookSecret(signingSecret, endpointId, each)).sign(eventId, now, body));
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
    "content-type": "application/json",
    "user-agent": "Waybill-Webhooks/1",
  };
}
