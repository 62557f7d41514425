import { hash } from "node:crypto";
import { parse } from "uuid";

/** UUIDv5 of the import id and the row's ordinal: a row has the same event id at every attempt and in every worker. */
export function rowEventIds(importId: string): (ordinal: number) => string {
  const namespace = parse(importId);
  const bytes = Buffer.alloc(namespace.length + 16);
  bytes.set(namespace);
  return (ordinal) => {
    const length = namespace.length + bytes.write(String(ordinal), namespace.length, "latin1");
    const hex = hash("sha1", bytes.subarray(0, length), "hex");
    const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) & 3];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}
