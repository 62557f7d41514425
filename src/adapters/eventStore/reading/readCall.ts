// One Read call of the protocol, which is also how subscriptions are made. The replies come as readReply.ts reads them, in the server's
// order: a checkpoint comes after the events that it covers.
import type { EventStoreDBClient } from "@eventstore/db-client";
import type { Position, Revision } from "../../../ports/eventStore.js";
import { type ReadRange, readHeadRequest, readStreamRequest, type SubscriptionFilter, subscribeRequest } from "../protocol/readRequest.js";
import { repliesReader } from "../protocol/replies.js";
import { openReadCall, type ReadCall } from "../vendor.js";

export type { ReadCall } from "../vendor.js";

export const readStreamCall = (
  client: EventStoreDBClient,
  stream: string,
  from: Revision | undefined,
  range: ReadRange,
): Promise<ReadCall> => openReadCall(client, readStreamRequest(stream, from, range), repliesReader(), true);

/** The newest event of all. */
export const readHeadCall = (client: EventStoreDBClient): Promise<ReadCall> =>
  openReadCall(client, readHeadRequest(), repliesReader(), true);

export const subscribeCall = (
  client: EventStoreDBClient,
  filter: SubscriptionFilter,
  from: Position | undefined,
  { requiresLeader }: { requiresLeader: boolean },
): Promise<ReadCall> => {
  const after = from && from.commit >= 0n ? from : undefined;
  return openReadCall(client, subscribeRequest(filter, after), repliesReader(), requiresLeader);
};
