// A small node that speaks the EventStoreDB protocol, so that one machine needs no install: infrastructure, not a database product.
// A cluster, projections, access control, scavenging: that is EventStoreDB itself (https://www.eventstore.com), for the same client.
// This folder holds the wire format, the log on LMDB, and one file per kind of call; this file serves the calls that write.
import { appendSuccess, appendWrongVersion, deleteSuccess } from "./appendReplies.js";
import { type AppendTarget, createEventCollector, readNamedTarget } from "./appendRequests.js";
import type { Call, CallHandler } from "./grpcCall.js";
import { streamDeleted, wrongExpectedVersion } from "./grpcErrors.js";
import { framed } from "./messages.js";
import { proposedEventReader } from "./proposedEvents.js";
import type { ExpectedRevision } from "./revisionCheck.js";
import { cursorOver, eachField, readBytes, readMessage, WireError } from "./wire.js";
import type { Writer } from "./writer.js";

/** Streams.Append: the options, then one event per message, then one answer. */
export function appendCalls(writer: Writer): (call: Call) => CallHandler {
  const read = proposedEventReader();
  return (call) => {
    let target: AppendTarget | undefined;
    const collected = createEventCollector(read);
    return {
      message(bytes) {
        const cursor = cursorOver(bytes);
        eachField(cursor, (field) => {
          if (field === 1) target = readNamedTarget(readMessage(cursor));
          else if (field === 2) collected.add(readBytes(cursor));
          else return false;
          return true;
        });
      },
      async complete() {
        if (!target) throw new WireError("an append begins with its options");
        const { stream, expected } = target;
        const outcome = await writer.append(stream, expected, collected.take());
        if (outcome.kind === "deleted") throw streamDeleted(stream);
        call.send(framed(outcome.kind === "written" ? appendSuccess(outcome) : appendWrongVersion(expected, outcome.current)));
        call.end();
      },
    };
  };
}

/** Streams.Delete (soft) and Streams.Tombstone (hard). */
export function deleteCalls(writer: Writer, hard: boolean): (call: Call) => CallHandler {
  return (call) => ({
    async message(bytes) {
      const cursor = cursorOver(bytes);
      let target: AppendTarget | undefined;
      eachField(cursor, (field) => {
        if (field !== 1) return false;
        target = readNamedTarget(readMessage(cursor));
        return true;
      });
      if (!target) throw new WireError("a delete needs its options");
      const { stream, expected } = target;
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
