import type { ServerHttp2Stream } from "node:http2";
import { frameFinder, framePrefix } from "../../../adapters/eventStore/protocol/frames.js";
import { encodeMessage, MalformedMessage, type Message } from "../../../adapters/eventStore/protocol/protobuf.js";

/** The gRPC status codes that EventStoreDB uses. */
export const Status = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14, // the outcome is unknown, and the client may try again
} as const;

export const MAX_APPEND_BYTES = 1024 * 1024;
export const TOO_LARGE = `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`;

/** Ends a call with an error. The client derives its own error type from the trailers. */
export class GrpcFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly trailers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** For requests that make EventStoreDB's reader throw: EventStoreDB answers UNKNOWN, without details. */
export const failedRead = (message: string): GrpcFailure => new GrpcFailure(Status.unknown, message);

export const accessDenied = (): GrpcFailure => new GrpcFailure(Status.permissionDenied, "Access Denied", { exception: "access-denied" });

/** For a call, or an option of a call, that only EventStoreDB serves. */
export const notImplemented = (what: string): GrpcFailure => new GrpcFailure(Status.unimplemented, `${what}; EventStoreDB does.`);

export const streamDeleted = (stream: string): GrpcFailure =>
  new GrpcFailure(Status.failedPrecondition, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });

/** The answer to a delete at a wrong version. Reports a missing stream as -1, since only the answers to appends have a field for it. */
export const wrongExpectedVersion = (stream: string, expected: number, actual: number): GrpcFailure =>
  new GrpcFailure(
    Status.failedPrecondition,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    { exception: "wrong-expected-version", "stream-name": stream, "expected-version": String(expected), "actual-version": String(actual) },
  );

export const maxAppendSizeExceeded = (): GrpcFailure =>
  new GrpcFailure(Status.invalidArgument, TOO_LARGE, {
    exception: "maximum-append-size-exceeded",
    "maximum-append-size": String(MAX_APPEND_BYTES),
  });

export const missingProperty = (name: string): GrpcFailure =>
  new GrpcFailure(Status.invalidArgument, `Required Metadata Property '${name}' is missing`, {
    exception: "missing-required-metadata-property",
    "required-metadata-properties": "type,content-type",
  });

/** EventStoreDB's own message, by which applications recognise that they have to subscribe again. */
export const consumerTooSlow = (): GrpcFailure =>
  new GrpcFailure(Status.aborted, "Operation timed out: Consumer too slow to handle event while live. Client resubscription required.");

/** EventStoreDB's largest message: its largest log record less its own overhead. A longer message ends the call before it is read. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 10_000;

/** Handles the messages of one call. If a function throws, the call ends with that error. */
export interface CallHandler {
  message(bytes: Buffer): void | Promise<void>;
  /** Called when the client has sent its last message. */
  complete?(): void | Promise<void>;
}

export type Call = ReturnType<typeof openCall>;
export type Method = (call: Call) => CallHandler;

export function serveCall(stream: ServerHttp2Stream, method: Method, onBug: (error: unknown) => void): void {
  const call = openCall(stream, onBug);
  receive(stream, method(call), call);
}

/** Fails every call, and drops the messages that come with it. */
export const refusedCall =
  (failure: GrpcFailure): Method =>
  (call) => {
    call.fail(failure);
    return { message: () => undefined };
  };

function openCall(stream: ServerHttp2Stream, onBug: (error: unknown) => void) {
  let hasEnded = false;
  let trailers: Record<string, string> = { "grpc-status": "0" };
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.on("error", () => undefined); // when the client hangs up; "close" follows
  const isOver = (): boolean => hasEnded || stream.destroyed;
  function end(): void {
    if (!isOver()) stream.end();
    hasEnded = true;
  }
  return {
    /** Sends whole frames. */
    send(frames: Buffer): void {
      if (!isOver()) stream.write(frames);
    },
    /** How many sent bytes the client has not taken yet. */
    backlog: () => stream.writableLength,
    /** Resolves when the client has taken everything, or the call is over. */
    drained: () => whenDrained(stream),
    isOver,
    onClose: (listener: () => void) => void stream.once("close", listener),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    end,
    fail(error: unknown): void {
      if (!isOver()) trailers = trailersOf(error, onBug);
      end();
    },
  };
}

function whenDrained(stream: ServerHttp2Stream): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return new Promise(setImmediate);
  return new Promise((resolve) => {
    const onDrained = (): void => {
      stream.off("drain", onDrained).off("close", onDrained);
      resolve();
    };
    stream.on("drain", onDrained).on("close", onDrained);
  });
}

function receive(stream: ServerHttp2Stream, handler: CallHandler, call: Call): void {
  const failCallOnError = async (action: () => void | Promise<void>): Promise<void> => {
    try {
      if (!call.isOver()) await action();
    } catch (error) {
      call.fail(error);
    }
  };
  const split = frameSplitter((message) => void failCallOnError(() => handler.message(message)));
  stream.on("data", (chunk: Buffer) => void failCallOnError(() => split(chunk)));
  stream.on("end", () => void failCallOnError(() => handler.complete?.()));
}

/** Splits the arriving bytes into messages, and delivers each message when it is complete. */
export const frameSplitter = (deliver: (message: Buffer) => void): ((chunk: Buffer) => void) =>
  frameFinder({
    onFrameStart(isCompressed, size) {
      if (isCompressed) throw new GrpcFailure(Status.unimplemented, "Compressed messages are not supported.");
      if (size > MAX_MESSAGE_BYTES) throw new GrpcFailure(Status.resourceExhausted, "Received message exceeds the maximum size.");
    },
    onFrame: (bytes, at, end) => deliver(bytes.subarray(at + framePrefix, end)),
  });

function trailersOf(error: unknown, onBug: (error: unknown) => void): Record<string, string> {
  const failure = error instanceof MalformedMessage ? new GrpcFailure(Status.invalidArgument, error.message) : error;
  if (!(failure instanceof GrpcFailure)) {
    onBug(error);
    return { "grpc-status": String(Status.internal), "grpc-message": "The node met an unexpected error." };
  }
  const trailers: Record<string, string> = { "grpc-status": String(failure.status), "grpc-message": encodeText(failure.message) };
  for (const [name, value] of Object.entries(failure.trailers)) trailers[name] = encodeText(value);
  return trailers;
}

/** HTTP/2 headers carry only ASCII, so other characters are percent-encoded, as gRPC prescribes for messages. */
const encodeText = (text: string): string => text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/gu, (other) => encodeURIComponent(other));

export function frameOf(message: Message): Buffer {
  const bytes = encodeMessage(message);
  const prefix = Buffer.alloc(framePrefix); // its first byte stays 0: not compressed
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}
