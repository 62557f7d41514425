// The only file that uses the insides of `@eventstore/db-client` (private members, generated code) and of its gRPC library. It was written
// for version 6.2.1, which package.json names exactly. A test checks that the installed client has these insides.
import type { EventEmitter } from "node:events";
import type { Duplex, Readable } from "node:stream";
import type { EventStoreDBClient } from "@eventstore/db-client";
import appendErrors from "@eventstore/db-client/dist/streams/appendToStream/unpackError.js";
import uuids from "@eventstore/db-client/dist/utils/grpcUUID.js";
import service from "@eventstore/db-client/generated/streams_grpc_pb.js";
import messages from "@eventstore/db-client/generated/streams_pb.js";
import { groupFrames, type SplitChunk } from "./protocol/frames.js";
import { replyGroupReader } from "./protocol/readReply.js";

/** `dispose` ends the client's calls but leaves its socket open, so the channel is closed too. */
export async function closeClient(client: EventStoreDBClient): Promise<void> {
  await client.dispose().catch(() => undefined);
  const channel = await client["getChannel"]().catch(() => undefined);
  channel?.close();
}

type Cancellable = { cancel(): void };
export type ReadCall = Readable & Cancellable;
export type BatchCall = Duplex & Cancellable;

const streamsService = "/event_store.client.streams.Streams";
const passThrough = (bytes: Buffer): Buffer => bytes;

/**
 * Opens a Read call, also for a subscription. It has no deadline: a read takes as long as its reader needs, and reading/eventFeed.ts
 * notices a silent server. The replies come in the server's order, so a checkpoint comes after the events that it covers.
 */
export async function openReadCall(client: EventStoreDBClient, request: Buffer, requiresLeader: boolean): Promise<ReadCall> {
  const [metadata, options] = client["callArguments"]({ requiresLeader }, { deadline: Number.POSITIVE_INFINITY });
  const grpc = await client["getGRPCClient"](service.StreamsClient, "read");
  const call = grpc.makeServerStreamRequest(`${streamsService}/Read`, passThrough, replyGroupReader(), request, metadata, options);
  groupMessages(call);
  trackOpenCall(client, grpc, call);
  return call;
}

/** The properties that lead from a call to its decoder, with which gRPC cuts the HTTP/2 stream of the call into messages. */
const pathToDecoder = ["call", "call", "child", "underlyingCalls", "0", "call", "child", "decoder"];

/** Makes the call deliver messages that arrive together as one group. Without the decoder they come singly, which is only slower. */
export function groupMessages(call: EventEmitter): void {
  // When the metadata arrive the decoder exists, and no message has arrived yet.
  call.once("metadata", () => {
    let value: unknown = call;
    for (const name of pathToDecoder) value = (value as Record<string, unknown> | null | undefined)?.[name];
    const decoder = (value ?? {}) as { write?: SplitChunk; readonly maxReadMessageLength?: number };
    if (typeof decoder.write === "function" && typeof decoder.maxReadMessageLength === "number")
      decoder.write = groupFrames(decoder.maxReadMessageLength);
  });
}

/** Opens a BatchAppend call. Resolves when the client has found the server, which may take long; nothing is sent before that. */
export async function openBatchCall(client: EventStoreDBClient): Promise<BatchCall> {
  const grpc = await client["getGRPCClient"](service.StreamsClient, "batchAppend");
  const [metadata, options] = client["callArguments"]({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY });
  const call = grpc.makeBidiStreamRequest(`${streamsService}/BatchAppend`, passThrough, decodeBatchReply, metadata, options);
  trackOpenCall(client, grpc, call);
  return call;
}

const cancelledByClient = "Cancelled on client";

/**
 * Tracks a call as the client tracks those that it opens itself, with one difference. The client treats a cancelled call as a lost
 * connection and drops its channel, so every read that ends early would cost a new channel.
 */
function trackOpenCall(client: EventStoreDBClient, grpc: Parameters<EventStoreDBClient["handleError"]>[0], call: EventEmitter): void {
  const openCalls = client["disposableStreams"] as unknown as Set<EventEmitter>;
  openCalls.add(call);
  call.on("status", () => openCalls.delete(call));
  call.on("error", (error: Error & { details?: string }) => {
    if (error.details !== cancelledByClient) void client["handleError"](grpc, error);
  });
}

export type BatchReply = ReturnType<typeof decodeBatchReply>;

/** Reads a BatchAppendResp with the generated code. `refusal` creates the client's own error for an append that was not taken. */
export function decodeBatchReply(bytes: Buffer) {
  const reply = messages.BatchAppendResp.deserializeBinary(bytes);
  const error = reply.getError();
  const success = reply.getSuccess();
  const position = success?.getPosition();
  return {
    correlationId: uuids.parseUUID(reply.getCorrelationId()) ?? "",
    refusal: (stream: string): Error =>
      error ? appendErrors.unpackToCommandError(error, stream) : new Error("the server neither took nor refused the append"),
    acknowledged: success && {
      revision: BigInt(success.getCurrentRevision()),
      position: position && { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) },
    },
  };
}

/** Some failures of the client and of gRPC can only be recognised by their texts. */
const errorTexts = {
  neverConnected: /No connection established|Failed to connect|ECONNREFUSED|Name resolution failed|Channel has been shut down/,
  foreignPosition: /no event at position|invalid position/i,
  messageTooLarge: /larger than|too large|message size/i,
};

export function hasErrorText(
  failure: keyof typeof errorTexts,
  { message = "", details = "" }: { message?: string; details?: string },
): boolean {
  return errorTexts[failure].test(`${message} ${details}`);
}
