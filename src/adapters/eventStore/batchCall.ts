// A BatchAppend call of the protocol on the client's connection, and what becomes of an append in it.
import type { EventStoreDBClient } from "@eventstore/db-client";
import { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import { type Acknowledged, type BatchReply, batchReply } from "./batchReply.js";
import type { BatchRequest } from "./batchRequest.js";
import { tend } from "./openedCall.js";

export interface Sending {
  readonly request: BatchRequest;
  readonly stream: string;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
  /** Of performance.now(). */
  readonly since: number;
}

const path = "/event_store.client.streams.Streams/BatchAppend";

/** Resolves when it is known where the server is; nothing may be sent on it for as long as that takes. */
export async function openBatchCall(client: EventStoreDBClient, deadline: number) {
  const grpc = await client["getGRPCClient"](StreamsClient, "batchAppend");
  const [metadata, options] = client["callArguments"]({ requiresLeader: true }, { deadline });
  return tend(
    client,
    grpc,
    grpc.makeBidiStreamRequest(path, (bytes: Buffer) => bytes, batchReply, metadata, options),
  );
}

export function settle({ stream, resolve, reject }: Sending, { acknowledged, refusal }: BatchReply): void {
  if (acknowledged) resolve(acknowledged);
  else reject(refusal?.(stream));
}
