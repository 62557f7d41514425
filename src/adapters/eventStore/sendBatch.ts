// One append as one BatchAppend call of its own, on the client's connection. The client's own two ways to append cannot be
// relied on when a connection breaks: docs/decisions says how. A call per append has a deadline, and nothing to share.
import { convertToCommandError, type EventStoreDBClient } from "@eventstore/db-client";
import { unpackToCommandError } from "@eventstore/db-client/dist/streams/appendToStream/unpackError.js";
import { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { Position, Revision } from "../../ports.js";

const path = "/event_store.client.streams.Streams/BatchAppend";

export async function sendBatch(
  client: EventStoreDBClient,
  request: Buffer,
  { stream, deadlineMs }: { stream: string; deadlineMs: number },
): Promise<{ revision: Revision; position: Position | undefined }> {
  const [metadata, options] = client["callArguments"]({ requiresLeader: true, deadline: deadlineMs });
  const reply = await client["execute"](StreamsClient, "batchAppend", (grpc) => {
    const call = grpc.makeBidiStreamRequest<Buffer, streams.BatchAppendResp>(
      path,
      (bytes) => bytes,

      streams.BatchAppendResp.deserializeBinary,
      metadata,
      options,
    );
    return new Promise<streams.BatchAppendResp>((resolve, reject) => {
      call.on("data", resolve);
      call.on("error", (error) => reject(convertToCommandError(error)));
      call.on("end", () => reject(new Error("the server ended the append without an answer")));
      call.write(request);
    }).finally(() => call.end());
  });
  const error = reply.getError();
  if (error) throw unpackToCommandError(error, stream);
  const success = reply.getSuccess();
  if (!success) throw new Error("the server neither took nor refused the append");
  const position = success.getPosition();
  return {
    revision: BigInt(success.getCurrentRevision()),
    position: position && { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) },
  };
}
