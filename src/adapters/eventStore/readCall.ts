// One Read call of the protocol, which is also how subscriptions are made. The replies come as readReply.ts reads them, in the
// server's order: a checkpoint stands behind the events that it covers.
import type { Readable } from "node:stream";
import type { EventStoreDBClient } from "@eventstore/db-client";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { Position, Revision } from "../../ports.js";
import { tend } from "./openedCall.js";
import { replyReader } from "./readReply.js";
import { readStreamRequest, type Stretch } from "./readRequest.js";

const path = "/event_store.client.streams.Streams/Read";
const { Options } = streams.ReadReq;

export type ReadCall = Readable & { cancel(): void };

export function readStreamCall(
  client: EventStoreDBClient,
  stream: string,
  from: Revision | undefined,
  stretch: Stretch,
): Promise<ReadCall> {
  return open(client, readStreamRequest(stream, from, stretch), { requiresLeader: true });
}

/** The newest event of all. */
export function readHeadCall(client: EventStoreDBClient): Promise<ReadCall> {
  const which = new Options.AllOptions();
  which.setEnd(new shared.Empty());
  const options = new Options();
  options.setAll(which);
  options.setNoFilter(new shared.Empty());
  options.setReadDirection(1);
  options.setCount("1");
  return call(client, options, { requiresLeader: true });
}

/** A checkpoint comes after so many events that were looked at, also when none of them passed the filter. */
const checkpointEvery = 1024;

export function subscribeCall(client: EventStoreDBClient, prefixes: readonly string[], from: Position | undefined): Promise<ReadCall> {
  const which = new Options.AllOptions();
  if (from) {
    const position = new Options.Position();
    position.setCommitPosition(from.commit.toString());
    position.setPreparePosition(from.prepare.toString());
    which.setPosition(position);
  } else which.setStart(new shared.Empty());
  const expression = new Options.FilterOptions.Expression();
  expression.setPrefixList([...prefixes]);
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(expression);
  filter.setMax(checkpointEvery);
  filter.setCheckpointintervalmultiplier(1);
  const options = new Options();
  options.setAll(which);
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(filter);
  return call(client, options, {});
}

function call(client: EventStoreDBClient, options: InstanceType<typeof Options>, how: { requiresLeader?: boolean }): Promise<ReadCall> {
  const ids = new Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  options.setResolveLinks(false);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return open(client, Buffer.from(request.serializeBinary()), how);
}

async function open(client: EventStoreDBClient, request: Buffer, how: { requiresLeader?: boolean }): Promise<ReadCall> {
  // Reads may take as long as their reader; silence is noticed by the one who waits.
  const [metadata, options] = client["callArguments"](how, { deadline: Number.POSITIVE_INFINITY });
  const grpc = await client["getGRPCClient"](StreamsClient, "read");
  return tend(
    client,
    grpc,
    grpc.makeServerStreamRequest(path, (ready: Buffer) => ready, replyReader(), request, metadata, options),
  );
}
