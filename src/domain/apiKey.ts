// An API key is `wb_live_`, thirty random characters and a checksum of six characters. The checksum tells a mistyped key from an
// unknown one without asking the database.
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 30;
const checksumLength = 6;
const keyPattern = /^wb_live_[0-9A-Za-z]{36}$/;

export const liveKeyPrefix = "wb_live_";

/** Makes a new key. `randomBytes` must be cryptographically random. */
export function makeApiKey(randomBytes: (count: number) => Uint8Array): string {
  let random = "";
  while (random.length < randomLength) {
    // Bytes from 248 on are skipped: 248 is a multiple of 62, and with larger bytes some characters would be likelier than others.
    for (const byte of randomBytes(randomLength)) if (byte < 248 && random.length < randomLength) random += alphabet[byte % 62];
  }
  const body = liveKeyPrefix + random;
  return body + checksum(body);
}

/** False for text that cannot be a key of this service: a prefix alone, a typing error, another service's key. */
export const isApiKey = (text: string): boolean =>
  keyPattern.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** What is stored in place of the key. */
export const hashApiKey = (key: string): string => hash("sha256", key, "hex");

/** What people are shown in place of the key. */
export const displayPrefix = (key: string): string => key.slice(0, 12);

/** Cuts each API key and webhook secret in the text to its beginning: people paste keys where they do not belong. */
export const hideKeys = (text: string): string =>
  text.replaceAll(/(wb_live_[0-9A-Za-z]{4})[0-9A-Za-z]+/g, "$1...").replaceAll(/(whsec_)[0-9A-Za-z+/=]+/g, "$1...");

function checksum(body: string): string {
  let remainder = crc32(body);
  let text = "";
  for (let digit = 0; digit < checksumLength; digit++) {
    text = (alphabet[remainder % 62] as string) + text;
    remainder = Math.floor(remainder / 62);
  }
  return text;
}
