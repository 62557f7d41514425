// Tells whether a webhook's message was signed by the service, after Standard Webhooks.
import { WebhookVerificationError } from "./errors.js";
import type { WebhookEvent } from "./types.js";

export interface WebhookMessage {
  /** The body as it came, byte for byte: not parsed and written again. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_...`, as the portal shows it. Give several while a secret is being replaced. */
  readonly secret: string | readonly string[];
  /** Seconds that the message may be older, or newer, than this machine's clock says. 300 unless given. */
  readonly tolerance?: number;
  readonly now?: Date;
}

const mostSignatures = 10;

export async function verifyWebhook({ body, headers, secret, tolerance = 300, now = new Date() }: WebhookMessage): Promise<WebhookEvent> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const age = /^\d{1,12}$/.test(timestamp) ? now.getTime() / 1000 - Number(timestamp) : Number.NaN;
  if (!(Math.abs(age) <= tolerance)) throw new WebhookVerificationError("The webhook's timestamp is too far from the time here");
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), bytes);
  const signatures = header(headers, "webhook-signature").split(" ", mostSignatures).flatMap(signatureOf);
  for (const each of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(each);
    for (const signature of signatures) {
      // `verify` compares in a time that does not depend on the signature.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError("None of the webhook's signatures is made with this secret");
}

function header(headers: WebhookMessage["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === "string" ? value : value?.[0];
  if (text === undefined || text === "") throw new WebhookVerificationError(`The webhook has no header ${name}`);
  return text;
}

function signatureOf(text: string): Uint8Array<ArrayBuffer>[] {
  const [version, value = ""] = text.split(",");
  const bytes = version === "v1" ? bytesOf(value) : undefined;
  return bytes ? [bytes] : [];
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw new TypeError("A webhook's secret is whsec_ and base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
