// Encodes the protocol's ReadReq. Many reads want one event, and the vendor client's way of making the request costs more than that event.
import type { Position, Revision } from "../../../ports/eventStore.js";
import { encode, type Field, type Message, pair } from "./protobuf.js";

const option = { stream: 1, all: 2, direction: 3, count: 5, subscription: 6, filter: 7, noFilter: 8, ids: 9 } as const;
const inStream = { identifier: 1, revision: 2, start: 3, end: 4 } as const;
const inAll = { position: 1, start: 2, end: 3 } as const;
const filterBy = { streamName: 1, eventType: 2, window: 3, multiplier: 5 } as const;
const backwardsDirection = 1;
const nothing: Message = [];
const noFilter: Field = [option.noFilter, nothing];
const idsAsText: Field = [option.ids, [[2, nothing]]];

const request = (...options: readonly Field[]): Buffer => encode([[1, [...options, idsAsText]]]);

export function streamRequest(stream: string, from: Revision | undefined, { backwards, max }: { backwards: boolean; max: number }) {
  const edge: Field = [backwards ? inStream.end : inStream.start, nothing];
  const start: Field = from === undefined ? edge : [inStream.revision, from];
  const direction = backwards ? backwardsDirection : 0;
  return request(
    [option.stream, [[inStream.identifier, [[3, stream]]], start]],
    [option.direction, direction],
    [option.count, max],
    noFilter,
  );
}

/** For the newest event of all. */
export const headRequest = (): Buffer =>
  request([option.all, [[inAll.end, nothing]]], [option.direction, backwardsDirection], [option.count, 1], noFilter);

/** The server sends a checkpoint after this many events, also when none of them passed the filter. */
const checkpointEvery = 1024;

/** Events of streams, or of types, whose names begin with one of these texts. The server takes no filter by both. */
export type SubscriptionFilter = { readonly prefixes: readonly string[] } | { readonly types: readonly string[] };

export function subscribeRequest(wanted: SubscriptionFilter, from: Position | undefined): Buffer {
  const after = from && from.commit >= 0n ? from : undefined;
  const position = after ? pair(after.commit, after.prepare) : nothing;
  const filter: Message = [
    "types" in wanted ? [filterBy.eventType, beginnings(wanted.types)] : [filterBy.streamName, beginnings(wanted.prefixes)],
    [filterBy.window, checkpointEvery],
    [filterBy.multiplier, 1],
  ];
  return request([option.all, [[after ? inAll.position : inAll.start, position]]], [option.subscription, nothing], [option.filter, filter]);
}

const beginnings = (texts: readonly string[]): Message => texts.map((text): Field => [2, text]);
