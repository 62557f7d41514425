import type { ServerHttp2Stream } from "node:http2";
import { frameFinder, framePrefix } from "../../../adapters/eventStore/protocol/frames.js";
import { encode, MalformedMessage, type Message } from "../../../adapters/eventStore/protocol/protobuf.js";

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
  unavailable: 14, // the outcome is not known; the client may try again
} as const;

export const MAX_APPEND_BYTES = 1024 * 1024;
export const TOO_LARGE = `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`;

/** Ends a call; the trailers are those that the client turns into its own error types. */
export class GrpcFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly trailers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** For requests that make EventStoreDB's reader throw: it answers UNKNOWN, without details. */
export const failedRead = (message: string): GrpcFailure => new GrpcFailure(Status.unknown, message);

export const accessDenied = (): GrpcFailure => new GrpcFailure(Status.permissionDenied, "Access Denied", { exception: "access-denied" });

/** For a call, or an option of a call, that only EventStoreDB serves. */
export const notImplemented = (what: string): GrpcFailure => new GrpcFailure(Status.unimplemented, `${what}; EventStoreDB does.`);

export const streamDeleted = (stream: string): GrpcFailure =>
  new GrpcFailure(Status.failedPrecondition, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });

/** The answer to a delete at a wrong version. A missing stream is reported as -1: only the answers to appends have a field for it. */
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

/** EventStoreDB's own message, by which applications know that they have to subscribe again. */
export const consumerTooSlow = (): GrpcFailure =>
  new GrpcFailure(Status.aborted, "Operation timed out: Consumer too slow to handle event while live. Client resubscription required.");

/** EventStoreDB's largest message: a record of its log less what it adds itself. A longer message ends the call before it is read. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 10_000;

/** What a method does with what it receives. A handler that throws ends the call with that failure. */
export interface CallHandler {
  message(bytes: Buffer): void | Promise<void>;
  /** The client has sent all it will. */
  complete?(): void | Promise<void>;
}

export type Call = ReturnType<typeof openCall>;
export type Method = (call: Call) => CallHandler;

export function serveCall(stream: ServerHttp2Stream, method: Method, onBug: (error: unknown) => void): void {
  const call = openCall(stream, onBug);
  receive(stream, method(call), call);
}

/** Serves calls that always fail; the messages that are sent with them are dropped. */
export const refusedCall =
  (failure: GrpcFailure): Method =>
  (call) => {
    call.fail(failure);
    return { message: () => undefined };
  };

function openCall(stream: ServerHttp2Stream, onBug: (error: unknown) => void) {
  let over = false;
  let trailers: Record<string, string> = { "grpc-status": "0" };
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.on("error", () => undefined); // a peer that hangs up; "close" follows
  const isOver = (): boolean => over || stream.destroyed;
  function end(): void {
    if (!isOver()) stream.end();
    over = true;
  }
  return {
    /** Sends whole frames. */
    send(frames: Buffer): void {
      if (!isOver()) stream.write(frames);
    },
    /** Bytes handed over but not yet taken by the peer. */
    backlog: () => stream.writableLength,
    /** Resolves when the peer has taken everything, or the call is over. */
    drained: () => whenDrained(stream),
    isOver,
    onOver: (listener: () => void) => void stream.once("close", listener),
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
    const done = (): void => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
  });
}

function receive(stream: ServerHttp2Stream, handler: CallHandler, call: Call): void {
  const guarded = async (action: () => void | Promise<void>): Promise<void> => {
    try {
      if (!call.isOver()) await action();
    } catch (error) {
      call.fail(error);
    }
  };
  const split = frameSplitter((message) => void guarded(() => handler.message(message)));
  stream.on("data", (chunk: Buffer) => void guarded(() => split(chunk)));
  stream.on("end", () => void guarded(() => handler.complete?.()));
}

/** Cuts what arrives into messages; a message is handed over once it is whole. */
export const frameSplitter = (deliver: (message: Buffer) => void): ((chunk: Buffer) => void) =>
  frameFinder({
    begun(isCompressed, size) {
      if (isCompressed) throw new GrpcFailure(Status.unimplemented, "Compressed messages are not supported.");
      if (size > MAX_MESSAGE_BYTES) throw new GrpcFailure(Status.resourceExhausted, "Received message exceeds the maximum size.");
    },
    whole: (bytes, at, end) => deliver(bytes.subarray(at + framePrefix, end)),
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

/** HTTP/2 headers carry ASCII; anything else goes percent-encoded, as gRPC does it for messages. */
const encodeText = (text: string): string => text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/gu, (other) => encodeURIComponent(other));

/** A gRPC frame with the message in it. */
export function frameOf(message: Message): Buffer {
  const bytes = encode(message);
  const prefix = Buffer.alloc(framePrefix); // its first byte stays 0: not compressed
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}
