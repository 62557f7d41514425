import { createHmac, timingSafeEqual } from "node:crypto";
import { isValidKey } from "./keys.js";

/** The parts of a link. All of them are signed. */
export interface Link {
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: string;
  readonly name: string;
  readonly signature: string;
}

export function signLink(secret: string, publicUrl: string, key: string, name: string, expires: number): string {
  const query = new URLSearchParams({ expires: String(expires), name, signature: sign(secret, key, String(expires), name) });
  return `${publicUrl.replace(/\/{1,9}$/, "")}/files/${key}?${query}`;
}

/** True for a link with a valid signature that has not expired. */
export function isGenuine(secret: string, link: Link, now: Date): boolean {
  const expected = Buffer.from(sign(secret, link.key, link.expires, link.name));
  const given = Buffer.from(link.signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return isValidKey(link.key) && now.getTime() < Number(link.expires) * 1000;
}

function sign(secret: string, key: string, expires: string, name: string): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify(["link", key, expires, name]))
    .digest("base64url");
}
