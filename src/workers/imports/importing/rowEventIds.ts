import { hash } from "node:crypto";
import { parse } from "uuid";

const mostDigits = 16;

/** UUIDv5 of the import id and the row's ordinal: a row has the same event id at every attempt and in every worker. */
export function rowEventIds(importId: string): (ordinal: number) => string {
  const namespace = parse(importId);
  const bytes = Buffer.alloc(namespace.length + mostDigits);
  bytes.set(namespace);
  const named = Array.from({ length: mostDigits + 1 }, (_, digits) => bytes.subarray(0, namespace.length + digits));
  return (ordinal) => {
    const digits = bytes.write(String(ordinal), namespace.length, "latin1");
    const hex = hash("sha1", named[digits] ?? bytes, "hex");
    const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}
