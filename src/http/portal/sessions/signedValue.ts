// Values that a browser keeps for some minutes and sends back. They are signed, so that it cannot change them, but it can read them.
import { createHmac, timingSafeEqual } from "node:crypto";

/** More than the memberships of one e-mail take (at most 100), and less than a form may have. */
const longest = 40_000;

/** `purpose`: a value that was signed for one purpose is not accepted for another. */
export function signValue(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const body = Buffer.from(JSON.stringify({ value, until: expiresAt.getTime() })).toString("base64url");
  return `${body}.${signature(secret, purpose, body)}`;
}

/** Undefined for text that was changed, has expired, or was not signed with this secret. */
export function readSignedValue(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
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
