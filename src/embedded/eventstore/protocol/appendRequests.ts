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
  /** Since 1970; the batch path sends one with each append. */
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

/** What the rest may add up to before it is refused too: the server's largest record. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
const EVENT_OVERHEAD_BYTES = 160;

/** Collects one append's events. Past the limit it only remembers that, so that memory stays bounded. */
export function createEventCollector() {
  let events: ProposedEvent[] = [];
  let counted = 0;
  let whole = 0;
  const isTooLarge = (): boolean => counted > MAX_APPEND_BYTES || whole > MAX_WHOLE_BYTES;

  return {
    isTooLarge,
    /** The events at these places in the message, up to the first that is faulty. */
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
