// src/embedded/eventstore/calls serves the calls of the protocol, one file for each kind; this one serves those that write.
import { readSpan, repeated, type Span, wholeMessage } from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { Writer } from "../log/writer.js";
import { appendSuccess, appendWrongVersion, deleteSuccess } from "../protocol/appendReplies.js";
import { type AppendTarget, createEventCollector, namedTarget, readTarget } from "../protocol/appendRequests.js";
import { frameOf, type Method } from "../protocol/grpcCall.js";
import { streamDeleted, wrongExpectedVersion } from "../protocol/grpcErrors.js";

const readPart = wholeMessage((): { target?: AppendTarget; events: Span[] } => ({ events: [] }), {
  1: ["target", readTarget],
  2: ["events", repeated(readSpan)],
});

/** Streams.Append: the options, then one event per message, then one answer. */
export function appendCalls(writer: Writer): Method {
  return (call) => {
    let target: AppendTarget | undefined;
    const collected = createEventCollector();
    return {
      message(bytes) {
        const part = readPart(bytes);
        if (part.target) target = namedTarget(part.target);
        collected.add(bytes, part.events);
      },
      async complete() {
        const { stream, expected } = namedTarget(target);
        const outcome = await writer.append(stream, expected, collected.take());
        if (outcome.kind === "deleted") throw streamDeleted(stream);
        call.send(frameOf(outcome.kind === "written" ? appendSuccess(outcome) : appendWrongVersion(expected, outcome.current)));
        call.end();
      },
    };
  };
}

/** Streams.Delete (soft) and Streams.Tombstone (hard). */
export function deleteCalls(writer: Writer, hard: boolean): Method {
  return (call) => ({
    async message(bytes) {
      const { stream, expected } = namedTarget(readPart(bytes).target);
      const outcome = await writer.remove(stream, expected, hard);
      if (outcome.kind === "deleted") throw streamDeleted(stream);
      if (outcome.kind === "wrongVersion") throw wrongExpectedVersion(stream, expectedNumber(expected), outcome.current);
      call.send(frameOf(deleteSuccess(outcome.position)));
      call.end();
    },
  });
}

/** The number that EventStoreDB writes in a trailer for an expected revision. */
function expectedNumber(expected: ExpectedRevision): number {
  if (expected === "no_stream") return -1;
  if (expected === "any") return -2;
  return expected === "stream_exists" ? -4 : expected;
}
