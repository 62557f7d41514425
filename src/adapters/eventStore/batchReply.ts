// Reads the protocol's BatchAppendResp straight from its bytes: success is what nearly all of them say. A refusal, or anything
// unexpected, is left to the generated code.
import { unpackToCommandError } from "@eventstore/db-client/dist/streams/appendToStream/unpackError.js";
import { parseUUID } from "@eventstore/db-client/dist/utils/grpcUUID.js";
import type shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { Position, Revision } from "../../ports.js";
import { type Cursor, cursorOver, nextField, readBig, readLength, skip } from "./wire.js";

export interface Acknowledged {
  readonly revision: Revision;
  readonly position: Position | undefined;
}

export interface BatchReply {
  readonly correlationId: string;
  readonly acknowledged?: Acknowledged;
  /** Why it was refused; needs the stream's name to say so. */
  readonly refusal?: (stream: string) => Error;
}

const correlationStart = Buffer.from([0x0a, 38, 0x12, 36]); // an id of 36 characters
const successTag = 0x1a;
const idEnd = correlationStart.length + 36;

export function batchReply(bytes: Buffer): BatchReply {
  const usual = bytes[idEnd] === successTag && correlationStart.compare(bytes, 0, correlationStart.length) === 0;
  if (!usual) return otherReply(bytes);
  const cursor = cursorOver(bytes);
  cursor.at = idEnd + 1;
  return { correlationId: bytes.toString("latin1", correlationStart.length, idEnd), acknowledged: success(cursor, readLength(cursor)) };
}

function success(cursor: Cursor, end: number): Acknowledged {
  let revision = 0n;
  let position: Position | undefined;
  while (cursor.at < end) {
    const field = nextField(cursor);
    if (field === 1) revision = readBig(cursor);
    else if (field === 3) position = positionIn(cursor, readLength(cursor));
    else skip(cursor);
  }
  return { revision, position };
}

function positionIn(cursor: Cursor, end: number): Position {
  let [commit, prepare] = [0n, 0n];
  while (cursor.at < end) {
    const field = nextField(cursor);
    if (field === 1) commit = readBig(cursor);
    else if (field === 2) prepare = readBig(cursor);
    else skip(cursor);
  }
  return { commit, prepare };
}

function otherReply(bytes: Buffer): BatchReply {
  const reply = streams.BatchAppendResp.deserializeBinary(bytes);
  const correlationId = parseUUID(reply.getCorrelationId()) ?? "";
  const error = reply.getError();
  if (error) return { correlationId, refusal: (stream) => unpackToCommandError(error, stream) };
  const taken = reply.getSuccess();
  if (!taken) return { correlationId, refusal: () => new Error("the server neither took nor refused the append") };
  return { correlationId, acknowledged: { revision: BigInt(taken.getCurrentRevision()), position: positionOf(taken.getPosition()) } };
}

function positionOf(position: shared.AllStreamPosition | undefined): Position | undefined {
  return position && { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
}
