// Cursors are opaque to callers, bound to what they page through, and refused if a single bit of them was changed.
import { createHmac, timingSafeEqual } from "node:crypto";
import { Rejection } from "../domain/rejection.js";

/** What a cursor belongs to: the kind of list, the organisation, and where there is one the import. */
export type CursorScope = readonly string[];

const macBytes = 16;

export function writeCursor(secret: string, scope: CursorScope, place: readonly string[]): string {
  const payload = JSON.stringify(place);
  return Buffer.concat([mac(secret, scope, payload), Buffer.from(payload)]).toString("base64url");
}

/** The place that the cursor points behind. */
export function readCursor(secret: string, scope: CursorScope, cursor: string): string[] {
  const bytes = Buffer.from(cursor, "base64url");
  // Decoding is lenient about stray characters and spare bits, so only the spelling we would have written counts.
  if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) throw malformed();
  const payload = bytes.subarray(macBytes).toString();
  if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(secret, scope, payload))) throw malformed();
  return JSON.parse(payload) as string[];
}

/** The secret signs links too; the word in front keeps a signature of one kind from passing as the other. */
const mac = (secret: string, scope: CursorScope, payload: string) =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["cursor", scope, payload]))
    .digest()
    .subarray(0, macBytes);

function malformed(): Rejection {
  const sentence = "cursor is malformed: use the nextCursor of the previous page of this same list, unchanged";
  return new Rejection("invalid", sentence, [sentence]);
}
