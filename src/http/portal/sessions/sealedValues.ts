// Values that a browser keeps for a while and sends back. Only this service can read or make them.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
/** More than the memberships of one e-mail take (at most 100), and less than a form may have. */
const longest = 40_000;

const keyOf = (secret: string) => Buffer.from(hkdfSync("sha256", secret, "", "waybill portal sealed value", 32));

/** `purpose`: a value that was sealed for one purpose is not accepted for another. */
export function sealValue(secret: string, purpose: string, value: unknown, expiresAt: Date): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, keyOf(secret), iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify({ value, until: expiresAt.getTime() }), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

/** Undefined for text that was changed, has expired, or was not sealed with this secret for this purpose. */
export function openSealed(secret: string, purpose: string, text: string | undefined, now: Date): unknown {
  if (text === undefined || text.length > longest) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < ivBytes + tagBytes || bytes.toString("base64url") !== text) return undefined;
  const [iv, tag, body] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes), bytes.subarray(ivBytes + tagBytes)];
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(cipherName, keyOf(secret), iv, options).setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const { value, until } = JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8"));
    return until > now.getTime() ? value : undefined;
  } catch {
    return undefined;
  }
}
