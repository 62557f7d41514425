import { readStreamIdentifier } from "./appendRequests.js";
import { type EventFilter, readFilter } from "./filters.js";
import { type Cursor, cursorOver, eachField, readMessage, readVarint, WireError } from "./wire.js";

export interface ReadRequest {
  /** Undefined for $all. */
  stream: string | undefined;
  from: "start" | "end" | number;
  backwards: boolean;
  limit: number;
  subscription: boolean;
  filter: EventFilter | undefined;
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
    structuredIds: false,
  };
  const cursor = cursorOver(bytes);
  eachField(cursor, (field) => {
    if (field !== 1) return false;
    readOptions(readMessage(cursor), request);
    return true;
  });
  return request;
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
    else if (field === 2) request.from = readVarint(cursor);
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

/** Commit and prepare positions are the same here. */
function readPosition(cursor: Cursor): number {
  let position = 0;
  eachField(cursor, (field) => {
    if (field !== 1) return false;
    position = readVarint(cursor);
    return true;
  });
  return position;
}
