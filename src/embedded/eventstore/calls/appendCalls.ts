// src/embedded/eventstore/calls serves the calls of the protocol. This file serves the calls that write.
import {
  MalformedMessage,
  messageReader,
  readBytes,
  readFlag,
  readSpan,
  repeatedField,
  type Span,
  type WireField,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { Writer } from "../log/writer.js";
import {
  appendSuccess,
  appendWrongVersion,
  badRequest,
  batchResult,
  deleteSuccess,
  encodeBatchReply,
  timedOut,
  tooLarge,
} from "../protocol/appendReplies.js";
import { type AppendTarget, createEventCollector, readTarget, requireTarget, STREAM_NAME_REQUIRED } from "../protocol/appendRequests.js";
import { frameOf, GrpcFailure, type Method, Status, streamDeleted, wrongExpectedVersion } from "../protocol/grpc.js";

const readPart = messageReader((): { target?: AppendTarget; events: Span[] } => ({ events: [] }), {
  1: ["target", readTarget],
  2: ["events", repeatedField(readSpan)],
});

/** Streams.Append: the client sends the options and then one event per message, and gets one answer. */
export function appendCalls(writer: Writer): Method {
  return (call) => {
    let target: AppendTarget | undefined;
    const collector = createEventCollector();
    return {
      message(bytes) {
        const part = readPart(bytes);
        if (part.target) target = requireTarget(part.target);
        collector.add(bytes, part.events);
      },
      async complete() {
        const { stream, expected } = requireTarget(target);
        const outcome = await writer.append(stream, expected, collector.take());
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
      const { stream, expected } = requireTarget(readPart(bytes).target);
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

/** The most appends of one call of which some parts have arrived, but not the last. */
const MAX_OPEN_APPENDS = 1_000;
/** The most bytes of one call's complete appends that are not answered yet. Beyond this the client has to wait. */
const MAX_UNACKNOWLEDGED_BYTES = 16 * 1024 * 1024;

interface OpenAppend {
  correlation: Buffer;
  target?: AppendTarget;
  collector: ReturnType<typeof createEventCollector>;
  /** The size of all its messages so far. */
  bytes: number;
  /** A fault of the stream's name or of an event. It fails this append, and the call's other appends go on. */
  fault?: string;
}

/** Streams.BatchAppend: any number of appends in one call. Each append is answered with its correlation id when it is durable. */
export function batchAppendCalls(writer: Writer): Method {
  return (call) => {
    const appends = new Map<string, OpenAppend>();
    let unacknowledgedBytes = 0;
    let unansweredAppends = 0;
    let clientIsDone = false;

    async function finish(append: OpenAppend): Promise<void> {
      const { bytes } = append;
      unansweredAppends += 1;
      unacknowledgedBytes += bytes;
      if (unacknowledgedBytes > MAX_UNACKNOWLEDGED_BYTES) call.pause();
      try {
        call.send(frameOf(encodeBatchReply(append.correlation, append.target, await resultOf(writer, append))));
      } finally {
        unansweredAppends -= 1;
        unacknowledgedBytes -= bytes;
        if (unacknowledgedBytes <= MAX_UNACKNOWLEDGED_BYTES / 2) call.resume();
      }
      if (clientIsDone && unansweredAppends === 0) call.end();
    }

    return {
      message(bytes) {
        const part = readBatchPart(bytes);
        if (!part.correlation) throw new MalformedMessage("an append needs a correlation id");
        const key = part.correlation.toString("latin1");
        const append = appends.get(key) ?? { correlation: part.correlation, collector: createEventCollector(), bytes: 0 };
        append.bytes += bytes.length;
        addPart(append, part, bytes);
        if (part.isFinal) {
          appends.delete(key);
          return finish(append);
        }
        appends.set(key, append);
        if (appends.size > MAX_OPEN_APPENDS) throw new GrpcFailure(Status.resourceExhausted, "Too many appends are begun but not final.");
        return undefined;
      },
      complete() {
        clientIsDone = true;
        if (unansweredAppends === 0) call.end();
      },
    };
  };
}

/** One message: a part of one append. It may have the options, some events, and the mark of the last part. */
interface AppendPart {
  correlation?: Buffer;
  target?: AppendTarget;
  events: Span[];
  isFinal: boolean;
}

const readBatchPart = messageReader((): AppendPart => ({ events: [], isFinal: false }), {
  1: ["correlation", readBytes],
  2: ["target", readTarget],
  3: ["events", repeatedField(readSpan)],
  4: ["isFinal", readFlag],
});

function addPart(append: OpenAppend, { target, events }: AppendPart, message: Buffer): void {
  if (target) append.target = target;
  if (target?.stream === "") append.fault ??= STREAM_NAME_REQUIRED;
  try {
    append.collector.add(message, events);
  } catch (error) {
    if (!(error instanceof MalformedMessage || error instanceof GrpcFailure)) throw error;
    append.fault ??= error.message;
  }
}

async function resultOf(writer: Writer, { target, collector, fault }: OpenAppend): Promise<WireField> {
  if (!target || fault !== undefined) return badRequest(fault ?? "an append begins with its options");
  const { stream, expected, deadline } = target;
  if (deadline && deadline.seconds * 1000 + deadline.nanos / 1e6 < Date.now()) return timedOut();
  if (collector.isTooLarge()) return tooLarge();
  return batchResult(target, await writer.append(stream, expected, collector.take()));
}
