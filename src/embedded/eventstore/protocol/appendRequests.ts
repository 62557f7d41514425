import {
  encode,
  type Field,
  MalformedMessage,
  message,
  type Reader,
  readBytes,
  readNumber,
  readProperty,
  readSafely,
  readSpan,
  repeated,
  type Span,
  textIn,
  whenPresent,
  wholeMessage,
} from "../../../adapters/eventStore/protocol/protobuf.js";
import { ID_BYTES, ID_TEXT, type ProposedEvent } from "../log/blockEncoder.js";
import type { ExpectedRevision } from "../log/revisionCheck.js";
import { MAX_APPEND_BYTES, maxAppendSizeExceeded, missingProperty } from "./grpc.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES: Buffer = Buffer.alloc(0);

/** The tags of a proposed event's fields, all of which are bytes. */
const tag = { id: 0x0a, property: 0x12, metadata: 0x1a, data: 0x22 } as const;

/**
 * Reads an event of an append without copying it; the block is later made by copying it. Its fields have to be in the order of their numbers,
 * as clients send them. An event in another order is put in order first, and so is one with a property `created`, which only the server may
 * set and which is left out. `before` is the previous event, which nearly always has the same bytes up to its data.
 */
export function readProposedEvent(reader: Reader, { from, to }: Span, before?: ProposedEvent): ProposedEvent {
  const bytes = reader.buf as Buffer;
  if (!beginsWithId(bytes, from, to)) return readInOrder(bytes, from, to);
  const dataTag = before?.tags.at(-1) ?? 0;
  if (before && hasSameFields(bytes, from, before.bytes, dataTag)) {
    reader.pos = from + dataTag + 1;
    const dataBytes = reader.uint32();
    if (reader.pos + dataBytes === to) return { bytes: withId(bytes.subarray(from, to)), type: before.type, tags: before.tags, dataBytes };
  }
  const tags: number[] = [];
  let [type, contentType, dataBytes] = [undefined as string | undefined, undefined as string | undefined, 0];
  let last: number = tag.id;
  reader.pos = from + ID_BYTES;
  while (reader.pos < to) {
    const current = bytes[reader.pos] as number;
    if (current < last || (current === last && current !== tag.property)) return readInOrder(bytes, from, to);
    last = current;
    tags.push(reader.pos - from);
    reader.pos += 1;
    if (current === tag.property) {
      const { key, value } = readProperty(reader);
      if (key === "created") return readInOrder(bytes, from, to);
      if (key === "type") type = value;
      else if (key === "content-type") contentType = value;
    } else if (current === tag.metadata || current === tag.data) {
      const content = readSpan(reader);
      if (current === tag.data) dataBytes = content.to - content.from;
    } else return readInOrder(bytes, from, to);
  }
  if (reader.pos !== to) throw new MalformedMessage("a field is longer than its event");
  if (type === undefined) throw missingProperty("type");
  if (contentType === undefined) throw missingProperty("content-type");
  const event = { bytes: withId(bytes.subarray(from, to)), type, tags, dataBytes };
  if (type === "") throw new MalformedMessage("an event type is required");
  return event;
}

/** Whether the event begins with the id's field, with the id as text and nothing else in it. */
const beginsWithId = (bytes: Buffer, at: number, to: number): boolean => to - at >= ID_BYTES && bytes.readUInt32BE(at) === 0x0a261224;

/** Whether both events have the same bytes between the id and the data. */
const hasSameFields = (bytes: Buffer, at: number, before: Buffer, dataTag: number): boolean =>
  before[dataTag] === tag.data &&
  bytes[at + dataTag] === tag.data &&
  bytes.compare(before, ID_BYTES, dataTag, at + ID_BYTES, at + dataTag) === 0;

/** Changes the event's id to lower case, in place. Throws if the id is no UUID. */
function withId(event: Buffer): Buffer {
  const id = event.toString("latin1", ID_TEXT, ID_BYTES).toLowerCase();
  if (!UUID.test(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  event.write(id, ID_TEXT, "latin1");
  return event;
}

const readFields = wholeMessage(() => ({ id: "", properties: [] as Buffer[], metadata: NO_BYTES, data: NO_BYTES }), {
  1: ["id", textIn(2)],
  2: ["properties", repeated(readBytes)],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
});
/** Reads the key exactly as `readProposedEvent` does. If only that one saw `created`, the event would be put in order again and again. */
const keyOf = (property: Buffer): string => readSafely(property, (reader) => readProperty(reader, reader.len)).key;

function readInOrder(message: Buffer, from: number, to: number): ProposedEvent {
  const { id, properties, metadata, data } = readFields(message.subarray(from, to));
  const kept = properties.filter((property) => keyOf(property) !== "created");
  const known = UUID.test(id.toLowerCase()) ? id : NIL_ID; // the nil id is refused as well, but after a missing property
  const ordered = encode([[1, [[2, known]]], ...kept.map((property): Field => [2, property]), [3, metadata], [4, data]]);
  return readSafely(ordered, (reader) => readProposedEvent(reader, { from: 0, to: reader.len }));
}

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
  3: ["expected", whenPresent("no_stream")],
  4: ["expected", whenPresent("any")],
  5: ["expected", whenPresent("stream_exists")],
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
      readSafely(message, (reader) => {
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
