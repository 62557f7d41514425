import { Webhook } from "standardwebhooks";
import { webhookSecret } from "../../../domain/webhooks/endpoint.js";
import type { ClaimedDelivery } from "./claimDeliveries.js";

type SignedDelivery = Pick<ClaimedDelivery, "eventId" | "endpointId" | "generation" | "signsFrom" | "now">;

/** The headers of Standard Webhooks. For a day after a rotation the secrets before it sign too. */
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
