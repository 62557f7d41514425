// src/embedded/eventstore/protocol turns bytes into requests and answers into bytes, and serves gRPC on HTTP/2. Nothing is decided here.
import { type Field, type Message, pair } from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { WriteOutcome } from "../log/writer.js";
import type { AppendTarget } from "./appendRequests.js";
import { MAX_APPEND_BYTES, Status, TOO_LARGE } from "./grpc.js";

const EMPTY: Message = [];

const streamIdentifier = (stream: string): Message => [[3, stream]];

export const positionMessage = (value: number): Message => pair(value, value);

type Written = Extract<WriteOutcome, { kind: "written" }>;

/** `Success` has the same fields in AppendResp and BatchAppendResp. */
const success = (outcome: Written): Message => [
  outcome.revision < 0 ? [2, EMPTY] : [1, outcome.revision],
  outcome.position === undefined ? [4, EMPTY] : [3, positionMessage(outcome.position)],
];

/** Says what was expected, in one of four fields; their numbers differ by message. */
function expectation(expected: ExpectedRevision, fields: { revision: number; any: number; exists: number; none: number }): Field {
  if (expected === "any") return [fields.any, EMPTY];
  if (expected === "stream_exists") return [fields.exists, EMPTY];
  if (expected === "no_stream") return [fields.none, EMPTY];
  return [fields.revision, expected];
}

export const appendSuccess = (outcome: Written): Message => [[1, success(outcome)]];

export const appendWrongVersion = (expected: ExpectedRevision, current: number): Message => [
  [2, [current < 0 ? [7, EMPTY] : [6, current], expectation(expected, { revision: 8, any: 9, exists: 10, none: 11 })]],
];

/** DeleteResp and TombstoneResp. */
export const deleteSuccess = (at: number | undefined): Message => [at === undefined ? [2, EMPTY] : [1, positionMessage(at)]];

/** In a BatchAppendResp: a google.rpc.Status with the failure packed as Any. */
function failed(code: number, message: string, type: string, details: Message): Field {
  const packed = pair(`type.googleapis.com/event_store.client.${type}`, details);
  const status: Message = [
    [1, code],
    [2, message],
    [3, packed],
  ];
  return [2, status];
}

export const badRequest = (message: string): Field => failed(Status.invalidArgument, message, "BadRequest", [[1, message]]);
export const timedOut = (): Field => failed(Status.deadlineExceeded, "Timeout", "Timeout", EMPTY);
export const tooLarge = (): Field => failed(Status.invalidArgument, TOO_LARGE, "MaximumAppendSizeExceeded", [[1, MAX_APPEND_BYTES]]);

export function batchResult({ stream, expected }: AppendTarget, outcome: WriteOutcome): Field {
  if (outcome.kind === "written") return [3, success(outcome)];
  if (outcome.kind === "deleted") {
    const message = `Event stream '${stream}' is deleted.`;
    return failed(Status.failedPrecondition, message, "StreamDeleted", [[1, streamIdentifier(stream)]]);
  }
  const current: Field = outcome.current < 0 ? [2, EMPTY] : [1, outcome.current];
  const details: Message = [current, expectation(expected, { revision: 3, any: 4, exists: 5, none: 6 })];
  return failed(Status.alreadyExists, "Append failed due to WrongExpectedVersion.", "WrongExpectedVersion", details);
}

/** A BatchAppendResp; the correlation id goes back in the bytes it came in. */
export function batchReply(correlation: Buffer, target: AppendTarget | undefined, result: Field): Message {
  if (!target) return [[1, correlation], result];
  const expected = expectation(target.expected, { revision: 5, none: 6, any: 7, exists: 8 });
  return [[1, correlation], result, [4, streamIdentifier(target.stream)], expected];
}
