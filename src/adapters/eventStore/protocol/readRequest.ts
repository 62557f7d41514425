// Encodes the protocol's ReadReq. The vendor's client takes longer to build a request for one event than to read the event.
import type { Position, Revision } from "../../../ports/eventStore.js";
import { encodeMessage, type Message, pair, type WireField } from "./protobuf.js";

const option = { stream: 1, all: 2, direction: 3, count: 5, subscription: 6, filter: 7, noFilter: 8, ids: 9 } as const;
const streamField = { identifier: 1, revision: 2, start: 3, end: 4 } as const;
const allField = { position: 1, start: 2, end: 3 } as const;
const filterBy = { streamName: 1, eventType: 2, window: 3, multiplier: 5 } as const;
const backwardsDirection = 1;
const empty: Message = [];
const noFilter: WireField = [option.noFilter, empty];
const idsAsText: WireField = [option.ids, [[2, empty]]];

const requestOf = (...options: readonly WireField[]): Buffer => encodeMessage([[1, [...options, idsAsText]]]);

export function streamRequest(stream: string, from: Revision | undefined, { backwards, max }: { backwards: boolean; max: number }) {
  const edge: WireField = [backwards ? streamField.end : streamField.start, empty];
  const start: WireField = from === undefined ? edge : [streamField.revision, from];
  const direction = backwards ? backwardsDirection : 0;
  return requestOf(
    [option.stream, [[streamField.identifier, [[3, stream]]], start]],
    [option.direction, direction],
    [option.count, max],
    noFilter,
  );
}

/** Asks for the newest event of the whole log. */
export const headRequest = (): Buffer =>
  requestOf([option.all, [[allField.end, empty]]], [option.direction, backwardsDirection], [option.count, 1], noFilter);

/** The server sends a checkpoint after this many events, even if none of them passed the filter. */
const eventsPerCheckpoint = 1024;

/** Events of streams, or of types, whose names begin with one of these texts. The server takes no filter by both. */
export type SubscriptionFilter = { readonly prefixes: readonly string[] } | { readonly types: readonly string[] };

export function subscribeRequest(filter: SubscriptionFilter, from: Position | undefined): Buffer {
  const after = from && from.commit >= 0n ? from : undefined;
  const filterFields: Message = [
    "types" in filter ? [filterBy.eventType, prefixFields(filter.types)] : [filterBy.streamName, prefixFields(filter.prefixes)],
    [filterBy.window, eventsPerCheckpoint],
    [filterBy.multiplier, 1],
  ];
  const start: WireField = after ? [allField.position, pair(after.commit, after.prepare)] : [allField.start, empty];
  return requestOf([option.all, [start]], [option.subscription, empty], [option.filter, filterFields]);
}

const prefixFields = (texts: readonly string[]): Message => texts.map((text): WireField => [2, text]);
