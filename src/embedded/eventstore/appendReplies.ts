import type { AppendTarget } from "./appendRequests.js";
import { MAX_APPEND_BYTES, Status } from "./grpcErrors.js";
import type { ExpectedRevision } from "./revisionCheck.js";
import { bytesField, emptyField, textField, varintField } from "./wire.js";
import type { WriteOutcome } from "./writer.js";

const streamIdentifier = (field: number, stream: string): Buffer => bytesField(field, textField(3, stream));

const position = (field: number, value: number): Buffer => bytesField(field, varintField(1, value), varintField(2, value));

/** `Success` is laid out alike in AppendResp and BatchAppendResp. */
const success = (outcome: { revision: number; position: number }): Buffer[] => [
  outcome.revision < 0 ? emptyField(2) : varintField(1, outcome.revision),
  position(3, outcome.position),
];

/** One of four fields says what was expected; which four differs by message. */
function expectation(expected: ExpectedRevision, fields: { revision: number; any: number; exists: number; none: number }): Buffer {
  if (expected === "any") return emptyField(fields.any);
  if (expected === "stream_exists") return emptyField(fields.exists);
  if (expected === "no_stream") return emptyField(fields.none);
  return varintField(fields.revision, expected);
}

export const appendSuccess = (outcome: { revision: number; position: number }): Buffer => bytesField(1, ...success(outcome));

export const appendWrongVersion = (expected: ExpectedRevision, current: number): Buffer =>
  bytesField(
    2,
    current < 0 ? emptyField(7) : varintField(6, current),
    expectation(expected, { revision: 8, any: 9, exists: 10, none: 11 }),
  );

/** DeleteResp and TombstoneResp. */
export const deleteSuccess = (at: number): Buffer => position(1, at);

type BatchFailure = { code: number; message: string; type: string; details: Buffer[] };

export const tooLarge = (): BatchFailure => ({
  code: Status.invalidArgument,
  message: `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`,
  type: "MaximumAppendSizeExceeded",
  details: [varintField(1, MAX_APPEND_BYTES)],
});

export const timedOut = (): BatchFailure => ({ code: Status.deadlineExceeded, message: "Timeout", type: "Timeout", details: [] });

export const badRequest = (message: string): BatchFailure => ({
  code: Status.invalidArgument,
  message,
  type: "BadRequest",
  details: [textField(1, message)],
});

function failureOf(target: AppendTarget, outcome: Exclude<WriteOutcome, { kind: "written" }>): BatchFailure {
  if (outcome.kind === "deleted") {
    const details = [streamIdentifier(1, target.stream)];
    return { code: Status.failedPrecondition, message: `Event stream '${target.stream}' is deleted.`, type: "StreamDeleted", details };
  }
  const current = outcome.current < 0 ? emptyField(2) : varintField(1, outcome.current);
  const expected = expectation(target.expected, { revision: 3, any: 4, exists: 5, none: 6 });
  return {
    code: Status.alreadyExists,
    message: "Append failed due to WrongExpectedVersion.",
    type: "WrongExpectedVersion",
    details: [current, expected],
  };
}

/** A BatchAppendResp; the correlation id goes back in the bytes it came in. */
export function batchReply(correlation: Buffer, target: AppendTarget | undefined, outcome: WriteOutcome | BatchFailure): Buffer {
  const parts = [bytesField(1, correlation)];
  if ("code" in outcome) parts.push(rpcStatus(outcome));
  else if (outcome.kind === "written") parts.push(bytesField(3, ...success(outcome)));
  else if (target) parts.push(rpcStatus(failureOf(target, outcome)));
  if (target) {
    parts.push(streamIdentifier(4, target.stream), expectation(target.expected, { revision: 5, none: 6, any: 7, exists: 8 }));
  }
  return Buffer.concat(parts);
}

/** google.rpc.Status with the failure packed as Any. */
function rpcStatus({ code, message, type, details }: BatchFailure): Buffer {
  const any = [textField(1, `type.googleapis.com/event_store.client.${type}`), bytesField(2, ...details)];
  return bytesField(2, varintField(1, code), textField(2, message), bytesField(3, ...any));
}
