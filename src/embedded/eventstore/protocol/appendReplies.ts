// src/embedded/eventstore/protocol turns bytes into requests and answers into bytes, and serves gRPC on HTTP/2. Nothing is decided here.
import type { Field, Message } from "../../../adapters/eventStore/protobuf.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import type { WriteOutcome } from "../log/writer.js";
import type { AppendTarget } from "./appendRequests.js";
import { MAX_APPEND_BYTES, Status } from "./grpcErrors.js";

const EMPTY: Message = [];

const streamIdentifier = (stream: string): Message => [[3, stream]];

export const position = (value: number): Message => [
  [1, value],
  [2, value],
];

type Written = Extract<WriteOutcome, { kind: "written" }>;

/** `Success` has the same fields in AppendResp and BatchAppendResp. */
const success = (outcome: Written): Message => [
  outcome.revision < 0 ? [2, EMPTY] : [1, outcome.revision],
  outcome.position === undefined ? [4, EMPTY] : [3, position(outcome.position)],
];

/** One of four fields says what was expected; which four differs by message. */
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
export const deleteSuccess = (at: number | undefined): Message => [at === undefined ? [2, EMPTY] : [1, position(at)]];

type BatchFailure = { code: number; message: string; type: string; details: Message };

export const tooLarge = (): BatchFailure => ({
  code: Status.invalidArgument,
  message: `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`,
  type: "MaximumAppendSizeExceeded",
  details: [[1, MAX_APPEND_BYTES]],
});

export const timedOut = (): BatchFailure => ({ code: Status.deadlineExceeded, message: "Timeout", type: "Timeout", details: EMPTY });

export const badRequest = (message: string): BatchFailure => ({
  code: Status.invalidArgument,
  message,
  type: "BadRequest",
  details: [[1, message]],
});

function failureOf(target: AppendTarget, outcome: Exclude<WriteOutcome, { kind: "written" }>): BatchFailure {
  if (outcome.kind === "deleted") {
    const details: Message = [[1, streamIdentifier(target.stream)]];
    return { code: Status.failedPrecondition, message: `Event stream '${target.stream}' is deleted.`, type: "StreamDeleted", details };
  }
  const current: Field = outcome.current < 0 ? [2, EMPTY] : [1, outcome.current];
  const expected = expectation(target.expected, { revision: 3, any: 4, exists: 5, none: 6 });
  return {
    code: Status.alreadyExists,
    message: "Append failed due to WrongExpectedVersion.",
    type: "WrongExpectedVersion",
    details: [current, expected],
  };
}

const EXPECTED_FIELDS = { revision: 5, none: 6, any: 7, exists: 8 };

/** A BatchAppendResp; the correlation id goes back in the bytes it came in. */
export function batchReply(correlation: Buffer, target: AppendTarget | undefined, outcome: WriteOutcome | BatchFailure): Message {
  const reply: Field[] = [[1, correlation]];
  if ("code" in outcome) reply.push([2, rpcStatus(outcome)]);
  else if (outcome.kind === "written") reply.push([3, success(outcome)]);
  else if (target) reply.push([2, rpcStatus(failureOf(target, outcome))]);
  if (target) reply.push([4, streamIdentifier(target.stream)], expectation(target.expected, EXPECTED_FIELDS));
  return reply;
}

/** google.rpc.Status with the failure packed as Any. */
const rpcStatus = ({ code, message, type, details }: BatchFailure): Message => [
  [1, code],
  [2, message],
  [
    3,
    [
      [1, `type.googleapis.com/event_store.client.${type}`],
      [2, details],
    ],
  ],
];
