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
