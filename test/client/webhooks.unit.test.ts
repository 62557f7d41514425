import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "../../packages/client/src/index.js";
import { webhookSecret } from "../../src/domain/webhooks/endpoint.js";
import { signedHeaders } from "../../src/workers/webhooks/sending/deliver.js";

const signingSecret = "a secret of thirty-two characters";
const endpointId = randomUUID();
const secret = webhookSecret(signingSecret, endpointId, 1);
const body = JSON.stringify({ type: "ping", timestamp: "2026-07-01T00:00:00.000Z", data: { endpointId, text: "für" } });
const now = new Date("2026-07-01T00:00:00.000Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

function sign(secretOfSender = secret): Record<string, string> {
  const signature = new Webhook(secretOfSender).sign("msg_1", now, body);
  return { "webhook-id": "msg_1", "webhook-timestamp": String(now.getTime() / 1000), "webhook-signature": signature };
}

test("a message of the product's own sender is verified, with either secret while two of them sign", async () => {
  const headers = signedHeaders({ eventId: "1", endpointId, generation: 2, signsFrom: 1, now }, body, signingSecret);
  for (const generation of [1, 2]) {
    const event = await verifyWebhook({ body, headers, secret: webhookSecret(signingSecret, endpointId, generation), now });
    expect(event).toEqual(JSON.parse(body));
  }
  const wrong = webhookSecret(signingSecret, endpointId, 3);
  await expect(verifyWebhook({ body, headers, secret: wrong, now })).rejects.toThrow(WebhookVerificationError);
});

test("a message signed by the published library is verified, with any form of headers and one of several secrets", async () => {
  const headers = sign();
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, new Headers(headers), upper]) {
    expect(
      await verifyWebhook({ body: new TextEncoder().encode(body), headers: given, secret: ["whsec_AAAA", secret], now }),
    ).toMatchObject({
      type: "ping",
    });
  }
});

test("the time may differ by the tolerance, and not by a second more", async () => {
  for (const [seconds, tolerance] of [[300], [-300], [10, 10]] as [number, number?][]) {
    const allowed = tolerance === undefined ? {} : { tolerance };
    const message = { body, headers: sign(), secret, ...allowed };
    await expect(verifyWebhook({ ...message, now: later(seconds) })).resolves.toBeDefined();
    await expect(verifyWebhook({ ...message, now: later(seconds + Math.sign(seconds)) })).rejects.toThrow("timestamp");
  }
});

test.each<[string, Record<string, string>, string?]>([
  ["another body", {}, `${body} `],
  ["another id", { "webhook-id": "msg_2" }],
  ["another time", { "webhook-timestamp": String(now.getTime() / 1000 + 1) }],
  ["a time that is none", { "webhook-timestamp": "now" }],
  ["no signature", { "webhook-signature": "" }],
  ["a signature that is not base64", { "webhook-signature": "v1,%%%" }],
  ["a signature of another version", { "webhook-signature": String(sign()["webhook-signature"]).replace("v1,", "v2,") }],
  ["a part of the signature", { "webhook-signature": String(sign()["webhook-signature"]).slice(0, 20) }],
])("%s is refused", async (_, headers, changed = body) => {
  const message = { body: changed, headers: { ...sign(), ...headers }, secret, now };
  await expect(verifyWebhook(message)).rejects.toThrow(WebhookVerificationError);
});
