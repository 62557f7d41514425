// A small node that speaks the EventStoreDB protocol, so that one machine needs no install: infrastructure, not a database product.
// A cluster, projections, access control, scavenging: that is EventStoreDB itself (https://www.eventstore.com), for the same client.
// This file serves the calls that write.
import { decode, type Fields } from "../../adapters/eventStore/protobuf.js";
import { appendSuccess, appendWrongVersion, deleteSuccess } from "./appendReplies.js";
import { type AppendTarget, createEventCollector, namedTarget, readTarget } from "./appendRequests.js";
import { framed } from "./frames.js";
import type { Call, CallHandler } from "./grpcCall.js";
import { streamDeleted, wrongExpectedVersion } from "./grpcErrors.js";
import { readOneMore } from "./proposedEvents.js";
import type { ExpectedRevision } from "./revisionCheck.js";
import type { Writer } from "./writer.js";

interface AppendPart {
  target: AppendTarget | undefined;
  events: Buffer[];
}

const appendFields: Fields<AppendPart> = { 1: ["target", readTarget], 2: ["events", readOneMore] };

/** Streams.Append: the options, then one event per message, then one answer. */
export function appendCalls(writer: Writer): (call: Call) => CallHandler {
  return (call) => {
    let target: AppendTarget | undefined;
    const collected = createEventCollector();
    return {
      message(bytes) {
        const part = decode<AppendPart>(bytes, appendFields, { target: undefined, events: [] });
        if (part.target) target = namedTarget(part.target);
        for (const event of part.events) collected.add(event);
      },
      async complete() {
        const { stream, expected } = namedTarget(target);
        const outcome = await writer.append(stream, expected, collected.take());
        if (outcome.kind === "deleted") throw streamDeleted(stream);
        call.send(framed(outcome.kind === "written" ? appendSuccess(outcome) : appendWrongVersion(expected, outcome.current)));
        call.end();
      },
    };
  };
}

const deleteFields: Fields<Pick<AppendPart, "target">> = { 1: ["target", readTarget] };

/** Streams.Delete (soft) and Streams.Tombstone (hard). */
export function deleteCalls(writer: Writer, hard: boolean): (call: Call) => CallHandler {
  return (call) => ({
    async message(bytes) {
      const { stream, expected } = namedTarget(decode(bytes, deleteFields, { target: undefined }).target);
      const outcome = await writer.remove(stream, expected, hard);
      if (outcome.kind === "deleted") throw streamDeleted(stream);
      if (outcome.kind === "wrongVersion") throw wrongExpectedVersion(stream, expectedNumber(expected), outcome.current);
      call.send(framed(deleteSuccess(outcome.position)));
      call.end();
    },
    complete: () => undefined,
  });
}

/** How the server writes an expectation in a trailer. */
function expectedNumber(expected: ExpectedRevision): number {
  if (expected === "no_stream") return -1;
  if (expected === "any") return -2;
  return expected === "stream_exists" ? -4 : expected;
}
