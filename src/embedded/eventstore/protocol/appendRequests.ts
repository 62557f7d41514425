import {
  MalformedMessage,
  message,
  present,
  reading,
  readNumber,
  type Span,
  textIn,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import type { ProposedEvent } from "../log/blockEncoder.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import { MAX_APPEND_BYTES, maxAppendSizeExceeded } from "./grpcErrors.js";
import { readProposedEvent } from "./proposedEvents.js";

export interface AppendTarget {
  stream: string;
  expected: ExpectedRevision;
  /** A time since 1970. Clients send one with each append of a BatchAppend call. */
  deadline?: { seconds: number; nanos: number };
}

const readTimestamp = message(() => ({ seconds: 0, nanos: 0 }), { 1: ["seconds", readNumber], 2: ["nanos", readNumber] });

export const readStreamName = textIn(3);

/** The options of Append, BatchAppend, Delete and Tombstone have the same fields. */
export const readTarget = message((): AppendTarget => ({ stream: "", expected: "any" }), {
  1: ["stream", readStreamName],
  2: ["expected", readNumber],
  3: ["expected", present("no_stream")],
  4: ["expected", present("any")],
  5: ["expected", present("stream_exists")],
  6: ["deadline", readTimestamp],
});

export const NAMELESS = "a stream name is required";

/** Throws unless the call named a stream. */
export function namedTarget(target: AppendTarget | undefined): AppendTarget {
  if (!target) throw new MalformedMessage("the options are missing");
  if (target.stream === "") throw new MalformedMessage(NAMELESS);
  return target;
}

/** The most bytes of an append with types, metadata and overhead: EventStoreDB's largest record. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
const EVENT_OVERHEAD_BYTES = 160;

/** Collects one append's events. Past the limit it keeps no events, only that the append is too large, so that memory stays bounded. */
export function createEventCollector() {
  let events: ProposedEvent[] = [];
  let counted = 0;
  let whole = 0;
  const isTooLarge = (): boolean => counted > MAX_APPEND_BYTES || whole > MAX_WHOLE_BYTES;

  return {
    isTooLarge,
    /** Adds the events at these places in the message. Throws at the first faulty one; those before it stay. */
    add(message: Buffer, places: readonly Span[]): void {
      reading(message, (reader) => {
        let event: ProposedEvent | undefined;
        for (const place of places) {
          event = readProposedEvent(reader, place, event);
          counted += event.dataBytes; // EventStoreDB 23.10 counts the data alone against its limit, not metadata or type
          whole += event.bytes.length + EVENT_OVERHEAD_BYTES;
          if (isTooLarge()) events = [];
          else events.push(event);
        }
      });
    },
    take(): readonly ProposedEvent[] {
      if (isTooLarge()) throw maxAppendSizeExceeded();
      return events;
    },
  };
}
