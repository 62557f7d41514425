// Cursors are opaque and signed. A cursor is valid for one list only, and a changed one is rejected.
import { createHmac, timingSafeEqual } from "node:crypto";
import { Rejection } from "../domain/rejection.js";

/** The list that a cursor belongs to: its kind, the organisation, and the import if there is one. */
export type CursorScope = readonly string[];

const macBytes = 16;

export function writeCursor(secret: string, scope: CursorScope, place: readonly string[]): string {
  const payload = JSON.stringify(place);
  return Buffer.concat([mac(secret, scope, payload), Buffer.from(payload)]).toString("base64url");
}

/** The place after which the next page begins. */
export function readCursor(secret: string, scope: CursorScope, cursor: string): string[] {
  const bytes = Buffer.from(cursor, "base64url");
  // Base64 decoding ignores stray characters and spare bits, so only the exact text that this code writes is accepted.
  if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) throw malformed();
  const payload = bytes.subarray(macBytes).toString();
  if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(secret, scope, payload))) throw malformed();
  return JSON.parse(payload) as string[];
}

/** The same secret signs links. The prefix keeps a link's signature from being accepted as a cursor's. */
const mac = (secret: string, scope: CursorScope, payload: string) =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["cursor", scope, payload]))
    .digest()
    .subarray(0, macBytes);

function malformed(): Rejection {
  const sentence = "cursor is malformed: use the nextCursor of the previous page of this same list, unchanged";
  return new Rejection("invalid", sentence, [sentence]);
}
