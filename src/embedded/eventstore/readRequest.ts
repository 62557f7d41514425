import { readStreamIdentifier } from "./appendRequests.js";
import { type EventFilter, readFilter } from "./filters.js";
import { failedRead } from "./grpcErrors.js";
import { type Cursor, cursorOver, eachField, MAX_INT64, readMessage, readVarint, WireError } from "./wire.js";

export interface ReadRequest {
  /** Undefined for $all. */
  stream: string | undefined;
  from: "start" | "end" | number;
  backwards: boolean;
  limit: number;
  subscription: boolean;
  filter: EventFilter | undefined;
  resolveLinks: boolean;
  /** Ids as two 64-bit numbers instead of text. */
  structuredIds: boolean;
}

export function readReadRequest(bytes: Buffer): ReadRequest {
  const request: ReadRequest = {
    stream: undefined,
    from: "start",
    backwards: false,
    limit: Number.MAX_SAFE_INTEGER,
    subscription: false,
    filter: undefined,
    resolveLinks: false,
    structuredIds: false,
  };
  const cursor = cursorOver(bytes);
  eachField(cursor, (field) => {
    if (field !== 1) return false;
    readOptions(readMessage(cursor), request);
    return true;
  });
  refuseWhatTheReaderRefuses(request);
  return request;
}

/** Neither is an empty read on the server, though $all read forwards from its end is. */
function refuseWhatTheReaderRefuses({ stream, from, backwards, limit, subscription }: ReadRequest): void {
  if (stream === undefined) return;
  if (subscription && from !== "end" && from !== "start" && from >= MAX_INT64) throw failedRead("No revision comes after that one.");
  if (subscription) return;
  if (limit === 0) throw failedRead("A stream is read one event at a time at least.");
  if (from === "end" && !backwards) throw failedRead("A stream is not read forwards from its end.");
}

function readOptions(cursor: Cursor, request: ReadRequest): void {
  eachField(cursor, (field) => {
    switch (field) {
      case 1:
        readStreamOptions(readMessage(cursor), request);
        return true;
      case 2:
        readAllOptions(readMessage(cursor), request);
        return true;
      case 3:
        request.backwards = readVarint(cursor) === 1;
        return true;
      case 4:
        request.resolveLinks = readVarint(cursor) === 1;
        return true;
      case 5:
        request.limit = readVarint(cursor);
        return true;
      case 6:
        request.subscription = true;
        return false;
      case 7:
        request.filter = readFilter(readMessage(cursor));
        return true;
      case 9:
        request.structuredIds = holdsField(readMessage(cursor), 1);
        return true;
      default:
        return false;
    }
  });
}

function holdsField(cursor: Cursor, wanted: number): boolean {
  let holds = false;
  eachField(cursor, (field) => {
    holds ||= field === wanted;
    return false;
  });
  return holds;
}

function readStreamOptions(cursor: Cursor, request: ReadRequest): void {
  eachField(cursor, (field) => {
    if (field === 1) request.stream = readStreamIdentifier(readMessage(cursor));
    else if (field === 2) request.from = signed(readVarint(cursor));
    else {
      if (field === 4) request.from = "end";
      return false;
    }
    return true;
  });
  if (!request.stream) throw new WireError("a stream name is required");
}

function readAllOptions(cursor: Cursor, request: ReadRequest): void {
  eachField(cursor, (field) => {
    if (field === 1) request.from = readPosition(readMessage(cursor));
    else {
      if (field === 3) request.from = "end";
      return false;
    }
    return true;
  });
}

/** Commit and prepare positions are the same here; a prepare position is only looked at as far as the server refuses some. */
function readPosition(cursor: Cursor): ReadRequest["from"] {
  let commit = 0;
  let prepare = 0;
  eachField(cursor, (field) => {
    if (field === 1) commit = readVarint(cursor);
    else if (field === 2) prepare = readVarint(cursor);
    else return false;
    return true;
  });
  if (commit < prepare) throw failedRead("The commit position is before the prepare position.");
  return signed(commit);
}

/** Revisions and positions travel without a sign, but have one: the largest of all stands for the end, others that large for nothing. */
function signed(value: number): number | "end" {
  if (value <= MAX_INT64) return value;
  if (value < 2 * MAX_INT64) throw failedRead("That is larger than any revision or position.");
  return "end";
}
