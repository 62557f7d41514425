// What the client does for calls that it opens itself, but for one thing: it takes a cancelled call for a lost connection and
// throws its channel away, so that every read that was left early would cost a new one.
import type { EventEmitter } from "node:events";
import type { EventStoreDBClient } from "@eventstore/db-client";
import type { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";

const cancelledHere = "Cancelled on client";

export function tend<Call extends EventEmitter>(client: EventStoreDBClient, grpc: StreamsClient, call: Call): Call {
  const open = client["disposableStreams"] as unknown as Set<EventEmitter>;
  open.add(call);
  call.on("status", () => open.delete(call));
  call.on("error", (error: Error & { details?: string }) => {
    if (error.details !== cancelledHere) void client["handleError"](grpc, error);
  });
  return call;
}
