// src/embedded/eventstore/protocol decodes requests, encodes answers, and serves gRPC on HTTP/2. It decides nothing.
import { type Message, pair, type WireField } from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { WriteOutcome } from "../log/writer.js";
import type { AppendTarget } from "./appendRequests.js";
import { MAX_APPEND_BYTES, Status, TOO_LARGE } from "./grpc.js";

const EMPTY: Message = [];

const streamIdentifier = (stream: string): Message => [[3, stream]];

export const positionMessage = (value: number): Message => pair(value, value);

type Written = Extract<WriteOutcome, { kind: "written" }>;

/** The message `Success`, which has the same fields in AppendResp and BatchAppendResp. */
const success = (outcome: Written): Message => [
  outcome.revision < 0 ? [2, EMPTY] : [1, outcome.revision],
  outcome.position === undefined ? [4, EMPTY] : [3, positionMessage(outcome.position)],
];

/** The expected revision, in one of four fields, whose numbers differ from message to message. */
function expectedField(expected: ExpectedRevision, fields: { revision: number; any: number; exists: number; none: number }): WireField {
  if (expected === "any") return [fields.any, EMPTY];
  if (expected === "stream_exists") return [fields.exists, EMPTY];
  if (expected === "no_stream") return [fields.none, EMPTY];
  return [fields.revision, expected];
}

export const appendSuccess = (outcome: Written): Message => [[1, success(outcome)]];

export const appendWrongVersion = (expected: ExpectedRevision, current: number): Message => [
  [2, [current < 0 ? [7, EMPTY] : [6, current], expectedField(expected, { revision: 8, any: 9, exists: 10, none: 11 })]],
];

/** DeleteResp and TombstoneResp. */
export const deleteSuccess = (position?: number): Message => [position === undefined ? [2, EMPTY] : [1, positionMessage(position)]];

/** The failure of a BatchAppendResp: a google.rpc.Status with its details packed as Any. */
function batchFailure(code: number, message: string, type: string, details: Message): WireField {
  const packed = pair(`type.googleapis.com/event_store.client.${type}`, details);
  const status: Message = [
    [1, code],
    [2, message],
    [3, packed],
  ];
  return [2, status];
}

export const badRequest = (message: string): WireField => batchFailure(Status.invalidArgument, message, "BadRequest", [[1, message]]);
export const timedOut = (): WireField => batchFailure(Status.deadlineExceeded, "Timeout", "Timeout", EMPTY);
export const tooLarge = (): WireField =>
  batchFailure(Status.invalidArgument, TOO_LARGE, "MaximumAppendSizeExceeded", [[1, MAX_APPEND_BYTES]]);

export function batchResult({ stream, expected }: AppendTarget, outcome: WriteOutcome): WireField {
  if (outcome.kind === "written") return [3, success(outcome)];
  if (outcome.kind === "deleted") {
    const message = `Event stream '${stream}' is deleted.`;
    return batchFailure(Status.failedPrecondition, message, "StreamDeleted", [[1, streamIdentifier(stream)]]);
  }
  const current: WireField = outcome.current < 0 ? [2, EMPTY] : [1, outcome.current];
  const details: Message = [current, expectedField(expected, { revision: 3, any: 4, exists: 5, none: 6 })];
  return batchFailure(Status.alreadyExists, "Append failed due to WrongExpectedVersion.", "WrongExpectedVersion", details);
}

/** A BatchAppendResp. The correlation id goes back in the bytes in which it came. */
export function encodeBatchReply(correlation: Buffer, target: AppendTarget | undefined, result: WireField): Message {
  if (!target) return [[1, correlation], result];
  const expected = expectedField(target.expected, { revision: 5, none: 6, any: 7, exists: 8 });
  return [[1, correlation], result, [4, streamIdentifier(target.stream)], expected];
}
