// Appends travel in BatchAppend calls on the client's connection: a chunk in a call of its own; small appends (the quotes of many
// requests) share calls, since opening one costs more than what it carries: two are under way, what comes meanwhile takes the next. The client's own two ways to append cannot be relied on when a connection
// breaks, docs/decisions says how; here every call has a deadline and knows its own appends only.
import { convertToCommandError, type EventStoreDBClient } from "@eventstore/db-client";
import { unpackToCommandError } from "@eventstore/db-client/dist/streams/appendToStream/unpackError.js";
import { parseUUID } from "@eventstore/db-client/dist/utils/grpcUUID.js";
import type shared from "@eventstore/db-client/generated/shared_pb.js";
import { StreamsClient } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { Position, Revision } from "../../ports.js";
import type { BatchRequest } from "./batchRequest.js";

export interface Acknowledged {
  readonly revision: Revision;
  readonly position: Position | undefined;
}

export type SendBatch = (client: EventStoreDBClient, request: BatchRequest, stream: string) => Promise<Acknowledged>;

interface Waiting {
  readonly request: BatchRequest;
  readonly stream: string;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

const path = "/event_store.client.streams.Streams/BatchAppend";
const smallBytes = 64 * 1024;
const mostTogether = 64;
const callsAtOnce = 2;

interface Line {
  readonly waiting: Waiting[];
  underWay: number;
  /** A look at those who wait is due at the end of this turn. */
  looking: boolean;
}

export function batchSender(deadlineMs: number): SendBatch {
  const lines = new WeakMap<EventStoreDBClient, Line>();

  function look(client: EventStoreDBClient, line: Line): void {
    line.looking = false;
    while (line.waiting.length > 0 && line.underWay < callsAtOnce) {
      line.underWay += 1;
      void callWith(client, inTime(line.waiting.splice(0, mostTogether), deadlineMs), deadlineMs).finally(() => {
        line.underWay -= 1;
        look(client, line);
      });
    }
  }

  return (client, request, stream) =>
    new Promise((resolve, reject) => {
      const append = { request, stream, resolve, reject, since: performance.now() };
      if (request.bytes.length > smallBytes) return void callWith(client, [append], deadlineMs);
      const line = lines.get(client) ?? { waiting: [], underWay: 0, looking: false };
      lines.set(client, line);
      line.waiting.push(append);
      if (line.looking) return;
      line.looking = true;
      setImmediate(look, client, line); // so that the quotes of one request travel together
    });
}

/** Whoever has waited for longer than a call may take is no longer listening: it must not be recorded behind their back. */
function inTime(group: readonly Waiting[], deadlineMs: number): Waiting[] {
  const now = performance.now();
  return group.filter((append) => {
    if (now - append.since < deadlineMs) return true;
    append.reject(new Error("No connection established in time")); // nothing of it was sent
    return false;
  });
}

/** Each append is settled by its own answer; a call that fails settles those that had none. */
async function callWith(client: EventStoreDBClient, group: readonly Waiting[], deadlineMs: number): Promise<void> {
  if (group.length === 0) return;
  const open = new Map(group.map((append) => [append.request.correlationId, append]));
  try {
    await client["execute"](StreamsClient, "batchAppend", async (grpc) => {
      const [metadata, options] = client["callArguments"]({ requiresLeader: true, deadline: deadlineMs });
      const { deserializeBinary } = streams.BatchAppendResp;
      const call = grpc.makeBidiStreamRequest(path, (bytes: Buffer) => bytes, deserializeBinary, metadata, options);
      const answered = new Promise<void>((resolve, reject) => {
        call.on("data", (reply) => {
          const id = parseUUID(reply.getCorrelationId()) ?? "";
          const append = open.get(id);
          open.delete(id);
          if (append) settle(append, reply);
          if (open.size === 0) resolve();
        });
        call.on("error", (error) => reject(convertToCommandError(error)));
        call.on("end", () => reject(new Error("the server ended the call without an answer")));
      });
      for (const { request } of group) call.write(request.bytes);
      await answered.finally(() => call.end());
    });
  } catch (error) {
    for (const append of open.values()) append.reject(error);
  }
}

function settle({ stream, resolve, reject }: Waiting, reply: streams.BatchAppendResp): void {
  const error = reply.getError();
  const success = reply.getSuccess();
  if (error) reject(unpackToCommandError(error, stream));
  else if (!success) reject(new Error("the server neither took nor refused the append"));
  else resolve({ revision: BigInt(success.getCurrentRevision()), position: positionOf(success.getPosition()) });
}

function positionOf(position: shared.AllStreamPosition | undefined): Position | undefined {
  return position && { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
}
