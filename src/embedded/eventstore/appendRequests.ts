import type { ProposedEvent } from "./blocks.js";
import { MAX_APPEND_BYTES, maxAppendSizeExceeded } from "./grpcErrors.js";
import type { EventReader } from "./proposedEvents.js";
import type { ExpectedRevision } from "./revisionCheck.js";
import { type Cursor, eachField, readMessage, readText, readVarint, WireError } from "./wire.js";

export interface AppendTarget {
  stream: string;
  expected: ExpectedRevision;
  /** Milliseconds since 1970; the batch path sends one with each append. */
  deadline?: number;
}

/** The options of Append, BatchAppend, Delete and Tombstone are laid out alike. */
export function readTarget(cursor: Cursor): AppendTarget {
  const target: AppendTarget = { stream: "", expected: "any" };
  eachField(cursor, (field) => {
    switch (field) {
      case 1:
        target.stream = readStreamIdentifier(readMessage(cursor));
        return true;
      case 2:
        target.expected = readVarint(cursor);
        return true;
      case 3:
        target.expected = "no_stream";
        return false;
      case 5:
        target.expected = "stream_exists";
        return false;
      case 6:
        target.deadline = readTimestamp(readMessage(cursor));
        return true;
      default:
        return false;
    }
  });
  return target;
}

export const NAMELESS = "a stream name is required";

/** What names no stream ends the call. */
export function readNamedTarget(cursor: Cursor): AppendTarget {
  const target = readTarget(cursor);
  if (target.stream === "") throw new WireError(NAMELESS);
  return target;
}

export function readStreamIdentifier(cursor: Cursor): string {
  let name = "";
  eachField(cursor, (field) => {
    if (field !== 3) return false;
    name = readText(cursor);
    return true;
  });
  return name;
}

function readTimestamp(cursor: Cursor): number {
  let seconds = 0;
  let nanos = 0;
  eachField(cursor, (field) => {
    if (field === 1) seconds = readVarint(cursor);
    else if (field === 2) nanos = readVarint(cursor);
    else return false;
    return true;
  });
  return seconds * 1000 + nanos / 1e6;
}

/** EventStoreDB 23.10 counts the data alone against its limit, not metadata or type. */
const countedBytes = (event: ProposedEvent): number => event.data.length;
/** What the rest may add up to before it is refused too: the server's largest record. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
const EVENT_OVERHEAD_BYTES = 200;

/** Collects one append's events. Past the limit it only remembers that, so that memory stays bounded. */
export function createEventCollector(read: EventReader) {
  let events: ProposedEvent[] = [];
  let counted = 0;
  let whole = 0;
  const isTooLarge = (): boolean => counted > MAX_APPEND_BYTES || whole > MAX_WHOLE_BYTES;
  return {
    isTooLarge,
    /** One event, as its message has it. */
    add(message: Buffer): void {
      const event = read(message);
      counted += countedBytes(event);
      whole += event.data.length + event.metadata.length + event.type.length + EVENT_OVERHEAD_BYTES;
      if (isTooLarge()) events = [];
      else events.push(event);
    },
    take(): readonly ProposedEvent[] {
      if (isTooLarge()) throw maxAppendSizeExceeded();
      return events;
    },
  };
}
