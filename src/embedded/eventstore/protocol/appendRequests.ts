import {
  encodeMessage,
  MalformedMessage,
  messageReader,
  nestedReader,
  nestedText,
  type Reader,
  readBytes,
  readInteger,
  readProperty,
  readSafely,
  readSpan,
  repeatedField,
  type Span,
  type WireField,
  whenPresent,
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
 * Reads an event of an append without copying it: the block encoder later copies its bytes. Its fields have to be in the order of their
 * numbers, as clients send them. An event in another order is first encoded again. So is an event with a property `created`, without
 * this property: only the server may set it. `previous` is the event before it, which nearly always has the same bytes up to its data.
 */
export function readProposedEvent(reader: Reader, { from, to }: Span, previous?: ProposedEvent): ProposedEvent {
  const bytes = reader.buf as Buffer;
  if (!beginsWithId(bytes, from, to)) return readReordered(bytes, from, to);
  const dataTag = previous?.tags.at(-1) ?? 0;
  if (previous && hasSameFields(bytes, from, previous.bytes, dataTag)) {
    reader.pos = from + dataTag + 1;
    const dataBytes = reader.uint32();
    if (reader.pos + dataBytes === to)
      return { bytes: withLowerCaseId(bytes.subarray(from, to)), type: previous.type, tags: previous.tags, dataBytes };
  }
  const tags: number[] = [];
  let [type, contentType, dataBytes] = [undefined as string | undefined, undefined as string | undefined, 0];
  let lastTag: number = tag.id;
  reader.pos = from + ID_BYTES;
  while (reader.pos < to) {
    const current = bytes[reader.pos] as number;
    if (current < lastTag || (current === lastTag && current !== tag.property)) return readReordered(bytes, from, to);
    lastTag = current;
    tags.push(reader.pos - from);
    reader.pos += 1;
    if (current === tag.property) {
      const { key, value } = readProperty(reader);
      if (key === "created") return readReordered(bytes, from, to);
      if (key === "type") type = value;
      else if (key === "content-type") contentType = value;
    } else if (current === tag.metadata || current === tag.data) {
      const content = readSpan(reader);
      if (current === tag.data) dataBytes = content.to - content.from;
    } else return readReordered(bytes, from, to);
  }
  if (reader.pos !== to) throw new MalformedMessage("a field is longer than its event");
  if (type === undefined) throw missingProperty("type");
  if (contentType === undefined) throw missingProperty("content-type");
  const event = { bytes: withLowerCaseId(bytes.subarray(from, to)), type, tags, dataBytes };
  if (type === "") throw new MalformedMessage("an event type is required");
  return event;
}

/** Whether the event begins with the id's field, with the id as text and nothing else in it. */
const beginsWithId = (bytes: Buffer, at: number, to: number): boolean => to - at >= ID_BYTES && bytes.readUInt32BE(at) === 0x0a261224;

/** Whether both events have the same bytes between the id and the data. */
const hasSameFields = (bytes: Buffer, at: number, previous: Buffer, dataTag: number): boolean =>
  previous[dataTag] === tag.data &&
  bytes[at + dataTag] === tag.data &&
  bytes.compare(previous, ID_BYTES, dataTag, at + ID_BYTES, at + dataTag) === 0;

/** Changes the event's id to lower case, in place. Throws if the id is not a UUID. */
function withLowerCaseId(event: Buffer): Buffer {
  const id = event.toString("latin1", ID_TEXT, ID_BYTES).toLowerCase();
  if (!UUID.test(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  event.write(id, ID_TEXT, "latin1");
  return event;
}

const readFields = messageReader(() => ({ id: "", properties: [] as Buffer[], metadata: NO_BYTES, data: NO_BYTES }), {
  1: ["id", nestedText(2)],
  2: ["properties", repeatedField(readBytes)],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
});
/** Reads the key exactly as `readProposedEvent` does. If only that function saw `created`, the event would be encoded again without end. */
const propertyKeyOf = (property: Buffer): string => readSafely(property, (reader) => readProperty(reader, reader.len)).key;

function readReordered(message: Buffer, from: number, to: number): ProposedEvent {
  const { id, properties, metadata, data } = readFields(message.subarray(from, to));
  const kept = properties.filter((property) => propertyKeyOf(property) !== "created");
  const validId = UUID.test(id.toLowerCase()) ? id : NIL_ID; // NIL_ID is refused too, but only after the check for missing properties
  const ordered = encodeMessage([[1, [[2, validId]]], ...kept.map((property): WireField => [2, property]), [3, metadata], [4, data]]);
  return readSafely(ordered, (reader) => readProposedEvent(reader, { from: 0, to: reader.len }));
}

export interface AppendTarget {
  stream: string;
  expected: ExpectedRevision;
  /** The time since 1970. Clients send a deadline with each append of a BatchAppend call. */
  deadline?: { seconds: number; nanos: number };
}

const readTimestamp = nestedReader(() => ({ seconds: 0, nanos: 0 }), { 1: ["seconds", readInteger], 2: ["nanos", readInteger] });

export const readStreamName = nestedText(3);

/** Reads the options of Append, BatchAppend, Delete and Tombstone, which have the same fields. */
export const readTarget = nestedReader((): AppendTarget => ({ stream: "", expected: "any" }), {
  1: ["stream", readStreamName],
  2: ["expected", readInteger],
  3: ["expected", whenPresent("no_stream")],
  4: ["expected", whenPresent("any")],
  5: ["expected", whenPresent("stream_exists")],
  6: ["deadline", readTimestamp],
});

export const STREAM_NAME_REQUIRED = "a stream name is required";

/** Throws if the call has named no stream. */
export function requireTarget(target: AppendTarget | undefined): AppendTarget {
  if (!target) throw new MalformedMessage("the options are missing");
  if (target.stream === "") throw new MalformedMessage(STREAM_NAME_REQUIRED);
  return target;
}

/** The most bytes of an append including types, metadata and overhead: EventStoreDB's largest record. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const EVENT_OVERHEAD_BYTES = 160;

/** Collects one append's events. Past the limit it keeps only the fact that the append is too large, so that memory stays bounded. */
export function createEventCollector() {
  let events: ProposedEvent[] = [];
  let dataBytes = 0;
  let recordBytes = 0;
  const isTooLarge = (): boolean => dataBytes > MAX_APPEND_BYTES || recordBytes > MAX_RECORD_BYTES;

  return {
    isTooLarge,
    /** Adds the events at these spans of the message. Throws at the first faulty one, and keeps those before it. */
    add(message: Buffer, spans: readonly Span[]): void {
      readSafely(message, (reader) => {
        let event: ProposedEvent | undefined;
        for (const span of spans) {
          event = readProposedEvent(reader, span, event);
          dataBytes += event.dataBytes; // EventStoreDB 23.10 counts the data alone against its limit, not metadata or type
          recordBytes += event.bytes.length + EVENT_OVERHEAD_BYTES;
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
