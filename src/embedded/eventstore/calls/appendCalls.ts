// src/embedded/eventstore/calls serves the calls of the protocol, one file for each kind; this one serves those that write.
import {
  type Field,
  MalformedMessage,
  readBytes,
  readFlag,
  readSpan,
  repeated,
  type Span,
  wholeMessage,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { Writer } from "../log/writer.js";
import {
  appendSuccess,
  appendWrongVersion,
  badRequest,
  batchReply,
  batchResult,
  deleteSuccess,
  timedOut,
  tooLarge,
} from "../protocol/appendReplies.js";
import { type AppendTarget, createEventCollector, NAMELESS, namedTarget, readTarget } from "../protocol/appendRequests.js";
import { frameOf, GrpcFailure, type Method, Status, streamDeleted, wrongExpectedVersion } from "../protocol/grpc.js";

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

/** How many appends of one call may be begun and not yet complete. */
const MAX_OPEN = 1_000;
/** Bytes taken in but not yet acknowledged, on one call; past it the client has to wait. */
const MAX_UNACKNOWLEDGED = 16 * 1024 * 1024;

interface OpenAppend {
  correlation: Buffer;
  target?: AppendTarget;
  collected: ReturnType<typeof createEventCollector>;
  /** Of all its messages so far. */
  bytes: number;
  /** A fault of the stream's name or of an event. It fails this append only; the call's other appends go on. */
  fault?: string;
}

/** Streams.BatchAppend: any number of appends on one call, each answered by its correlation id when it is durable. */
export function batchAppendCalls(writer: Writer): Method {
  return (call) => {
    const open = new Map<string, OpenAppend>();
    let unacknowledged = 0;
    let underWay = 0;
    let complete = false;

    async function finish(append: OpenAppend): Promise<void> {
      const { bytes } = append;
      underWay += 1;
      unacknowledged += bytes;
      if (unacknowledged > MAX_UNACKNOWLEDGED) call.pause();
      try {
        call.send(frameOf(batchReply(append.correlation, append.target, await resultOf(writer, append))));
      } finally {
        underWay -= 1;
        unacknowledged -= bytes;
        if (unacknowledged <= MAX_UNACKNOWLEDGED / 2) call.resume();
      }
      if (complete && underWay === 0) call.end();
    }

    return {
      message(bytes) {
        const part = readBatchPart(bytes);
        if (!part.correlation) throw new MalformedMessage("an append needs a correlation id");
        const key = part.correlation.toString("latin1");
        const append = open.get(key) ?? { correlation: part.correlation, collected: createEventCollector(), bytes: 0 };
        append.bytes += bytes.length;
        take(append, part, bytes);
        if (part.isFinal) {
          open.delete(key);
          return finish(append);
        }
        open.set(key, append);
        if (open.size > MAX_OPEN) throw new GrpcFailure(Status.resourceExhausted, "Too many appends are begun but not final.");
        return undefined;
      },
      complete() {
        complete = true;
        if (underWay === 0) call.end();
      },
    };
  };
}

/** A message is a part of one append. It may have the options, some events, and the mark of the last part. */
interface AppendPart {
  correlation?: Buffer;
  target?: AppendTarget;
  events: Span[];
  isFinal: boolean;
}

const readBatchPart = wholeMessage((): AppendPart => ({ events: [], isFinal: false }), {
  1: ["correlation", readBytes],
  2: ["target", readTarget],
  3: ["events", repeated(readSpan)],
  4: ["isFinal", readFlag],
});

function take(append: OpenAppend, { target, events }: AppendPart, message: Buffer): void {
  if (target) append.target = target;
  if (target?.stream === "") append.fault ??= NAMELESS;
  try {
    append.collected.add(message, events);
  } catch (error) {
    if (!(error instanceof MalformedMessage || error instanceof GrpcFailure)) throw error;
    append.fault ??= error.message;
  }
}

async function resultOf(writer: Writer, { target, collected, fault }: OpenAppend): Promise<Field> {
  if (!target || fault !== undefined) return badRequest(fault ?? "an append begins with its options");
  const { stream, expected, deadline } = target;
  if (deadline && deadline.seconds * 1000 + deadline.nanos / 1e6 < Date.now()) return timedOut();
  if (collected.isTooLarge()) return tooLarge();
  return batchResult(target, await writer.append(stream, expected, collected.take()));
}
