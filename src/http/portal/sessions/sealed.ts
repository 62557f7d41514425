// What a browser keeps for us for some minutes and brings back unchanged: readable by it, and signed.
import { createHmac, timingSafeEqual } from "node:crypto";

/** More than the memberships of one e-mail take (at most 100), and less than a form may have. */
const longest = 40_000;

/** `purpose`: what was sealed for one thing opens nowhere else. */
export function seal(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const body = Buffer.from(JSON.stringify({ value, until: expiresAt.getTime() })).toString("base64url");
  return `${body}.${signature(secret, purpose, body)}`;
}

/** Undefined for text that was changed, has expired, or was not sealed with this secret. */
export function unseal(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
  if (text === undefined || text.length > longest) return undefined;
  const [body = "", given = ""] = text.split(".");
  const wanted = Buffer.from(signature(secret, purpose, body));
  const found = Buffer.from(given);
  if (wanted.length !== found.length || !timingSafeEqual(wanted, found)) return undefined;
  const { value, until } = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as { value: unknown; until: number };
  return until > now.getTime() ? value : undefined;
}

const signature = (secret: string, purpose: string, body: string): string =>
  createHmac("sha256", secret).update(`portal ${purpose}\n${body}`).digest("base64url");
