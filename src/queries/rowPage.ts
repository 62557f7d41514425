// src/queries has the reads, nearly all from the projections' tables. A read for one organisation has its id as first argument and uses the
// id in every look-up. Some reads, such as those for metrics, are for all organisations. This file has what lists with pages share.
import { createHmac, timingSafeEqual } from "node:crypto";
import { Rejection } from "../domain/rejection.js";

/** Identifies the list that a cursor belongs to: its kind, the organisation, the import if there is one, and the filter. */
export type CursorScope = readonly string[];

const macBytes = 16;

export function writeCursor(secret: string, scope: CursorScope, values: readonly string[]): string {
  const payload = JSON.stringify(values);
  return Buffer.concat([mac(secret, scope, payload), Buffer.from(payload)]).toString("base64url");
}

/** The values of the row after which the next page begins. */
export function readCursor(secret: string, scope: CursorScope, cursor: string): string[] {
  const bytes = Buffer.from(cursor, "base64url");
  // Base64 decoding ignores stray characters and spare bits, so only the exact text that this code writes is accepted.
  if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) throw malformedCursor();
  const payload = bytes.subarray(macBytes).toString();
  if (!timingSafeEqual(bytes.subarray(0, macBytes), mac(secret, scope, payload))) throw malformedCursor();
  return JSON.parse(payload) as string[];
}

/** The same secret signs links. The word "cursor" keeps a link's signature from being accepted as that of a cursor. */
const mac = (secret: string, scope: CursorScope, payload: string) =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["cursor", scope, payload]))
    .digest()
    .subarray(0, macBytes);

function malformedCursor(): Rejection {
  const sentence = "cursor is malformed: use the nextCursor of the previous page of this same list, unchanged";
  return new Rejection("invalid", sentence, [sentence]);
}

/** The times that a list is limited to. */
export interface TimeRange {
  /** Included. */
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

/** The range as a part of a cursor's scope. */
export const timeScope = ({ from, to }: TimeRange): string[] => [from, to].map((time) => time?.toISOString() ?? "");

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The secret that signs cursors. */
  readonly secret: string;
}

export interface RowPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

interface RowMapping<Row, Item> {
  /** The values that the list is sorted by. Together they are unique in the list. */
  cursorValues(row: Row): readonly string[];
  itemOf(row: Row): Item;
}

/** Calls `fetchRows` for one row more than the page shows. Without that row, this is the last page. */
export async function readPage<Row, Item>(
  request: PageRequest,
  scope: CursorScope,
  fetchRows: (after: readonly string[] | undefined, count: number) => Promise<readonly Row[]>,
  { cursorValues, itemOf }: RowMapping<Row, Item>,
): Promise<RowPage<Item>> {
  const after = request.cursor === undefined ? undefined : readCursor(request.secret, scope, request.cursor);
  const rows = await fetchRows(after, request.limit + 1);
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const nextCursor = last && rows.length > shown.length ? writeCursor(request.secret, scope, cursorValues(last)) : null;
  return { items: shown.map(itemOf), nextCursor };
}
