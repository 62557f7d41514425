// src/adapters/objectStore implements ObjectStore twice: with files below DATA_DIR, and with any S3 store through the `minio` client if
// S3_ENDPOINT is set. This file checks keys, and signs the links of the store of files.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedLink } from "../../ports/objectStore.js";

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Whether the key is well formed. Keys are part of links, which callers can change, and no key may lead out of the store's folder. */
export function isValidKey(key: string): boolean {
  const segments = key.split("/");
  return key.length <= 512 && segments.length <= 8 && segments.every((part) => segment.test(part));
}

export function assertKey(key: string): void {
  if (!isValidKey(key)) throw new Error(`not a usable object key: ${JSON.stringify(key.slice(0, 100))}`);
}

/** A Content-Disposition value with which browsers save the file under this name. Characters that no file name may have become `_`. */
export function contentDisposition(downloadName: string): string {
  const name = downloadName.replace(/[\p{Cc}\p{Cs}/\\]/gu, "_");
  const plain = name.replace(/[^\x20-\x7e]|["%]/g, "_");
  if (plain === name) return `attachment; filename="${plain}"`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

export function signLink(secret: string, publicUrl: string, key: string, name: string, expires: number): string {
  const query = new URLSearchParams({ expires: String(expires), name, signature: sign(secret, key, String(expires), name) });
  return `${publicUrl.replace(/\/{1,9}$/, "")}/files/${key}?${query}`;
}

/** Whether the link has a valid key and signature and has not expired. */
export function isLinkValid(secret: string, link: SignedLink, now: Date): boolean {
  const expected = Buffer.from(sign(secret, link.key, link.expires, link.name));
  const actual = Buffer.from(link.signature);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return false;
  return isValidKey(link.key) && now.getTime() < Number(link.expires) * 1000;
}

function sign(secret: string, key: string, expires: string, name: string): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify(["link", key, expires, name]))
    .digest("base64url");
}
