import {
  decode,
  encode,
  type Field,
  type Fields,
  MalformedMessage,
  newReader,
  type Reader,
  readBytes,
  readSpan,
  type Span,
  textIn,
} from "../../../adapters/eventStore/protobuf.js";
import type { ProposedEvent } from "../log/blockEncoder.js";
import { type Property, propertyFields, readProperty } from "../log/blocks.js";
import { missingProperty } from "./grpcErrors.js";

const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES = Buffer.alloc(0);

/** The tags of a proposed event's fields, all of which are bytes. */
const tag = { id: 0x0a, property: 0x12, metadata: 0x1a, data: 0x22 } as const;
/** In a recorded event the numbers of properties, metadata and data are higher by four. */
const RECORDED = 4 << 3;

/** For a field that may come many times. */
const oneMore =
  <Value>(read: (reader: Reader) => Value) =>
  (reader: Reader, before: Value[]): Value[] => {
    before.push(read(reader));
    return before;
  };

/** Where the events of an append are in its message. */
export const readEventPlace = oneMore(readSpan);

interface Description {
  id: string;
  type: string | undefined;
  hasContentType: boolean;
  dataBytes: number;
  /** Where the fields begin that are recorded as they came. */
  fieldsFrom: number;
  /** Where the tags of these are. */
  tags: number[];
}

/**
 * Reads an event of an append. Its fields get the numbers that they have in a recorded event, in the message's own bytes, so that the block is
 * made by copying them. The fields have to be in the order of their numbers, as clients send them; others are put in order first.
 */
export function readProposedEvent(reader: Reader, { from, to }: Span): ProposedEvent {
  const bytes = reader.buf as Buffer;
  reader.pos = from;
  const found = readInOrder(reader, bytes, to);
  if (!found) {
    const ordered = putInOrder(bytes.subarray(from, to));
    return readProposedEvent(newReader(ordered), { from: 0, to: ordered.length });
  }
  const { type, fieldsFrom } = found;
  const id = found.id.toLowerCase();
  if (type === undefined) throw missingProperty("type");
  if (!found.hasContentType) throw missingProperty("content-type");
  if (!isUuid(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  if (type === "") throw new MalformedMessage("an event type is required");
  for (const at of found.tags) bytes[at] = (bytes[at] as number) + RECORDED;
  return { id, type, fields: bytes.subarray(fieldsFrom, to), dataBytes: found.dataBytes };
}

/** A loop, which takes half as long as a regular expression does. */
function isUuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let at = 0; at < 36; at++) {
    const code = text.charCodeAt(at);
    const isDashed = at === 8 || at === 13 || at === 18 || at === 23;
    if (isDashed ? code !== 45 : !((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return true;
}

const readId = textIn(2);

/** Undefined where a field comes too late, twice or is not known, or the client says when the event was created, which is the server's to say. */
function readInOrder(reader: Reader, bytes: Buffer, to: number): Description | undefined {
  const found: Description = { id: "", type: undefined, hasContentType: false, dataBytes: 0, fieldsFrom: reader.pos, tags: [] };
  let last = 0;
  while (reader.pos < to) {
    const current = bytes[reader.pos] as number;
    if (current < last || (current === last && current !== tag.property) || current > tag.data) return undefined;
    last = current;
    if (current !== tag.id) found.tags.push(reader.pos);
    reader.pos += 1;
    if (current === tag.id) {
      found.id = readId(reader);
      found.fieldsFrom = reader.pos;
    } else if (current === tag.property) {
      const { key, value } = readKnownProperty(reader, bytes);
      if (key === "created") return undefined;
      if (key === "type") found.type = value;
      else if (key === "content-type") found.hasContentType = true;
    } else if (current === tag.metadata || current === tag.data) {
      const length = reader.uint32();
      reader.skip(length);
      if (current === tag.data) found.dataBytes = length;
    } else return undefined;
  }
  return reader.pos === to ? found : undefined;
}

interface Known extends Property {
  bytes: Buffer;
}

/** The last property of each length, with its length: most events have the same few, which are then compared and not read again. */
const known: (Known | undefined)[] = [];
const LONGEST_KNOWN = 127;

function readKnownProperty(reader: Reader, bytes: Buffer): Property {
  const from = reader.pos;
  const length = bytes[from] as number;
  const before = known[length];
  if (before && from + length < bytes.length && isAt(before.bytes, bytes, from)) {
    reader.pos = from + before.bytes.length;
    return before;
  }
  const property = readProperty(reader);
  if (length <= LONGEST_KNOWN) known[length] = { ...property, bytes: Buffer.from(bytes.subarray(from, reader.pos)) };
  return property;
}

function isAt(wanted: Buffer, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < wanted.length; index++) if (wanted[index] !== bytes[from + index]) return false;
  return true;
}

interface Sent {
  id: string;
  properties: Buffer[];
  metadata: Buffer;
  data: Buffer;
}

const sentFields: Fields<Sent> = {
  1: ["id", readId],
  2: ["properties", oneMore(readBytes)],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
};

function putInOrder(message: Buffer): Buffer {
  const { id, properties, metadata, data } = decode<Sent>(message, sentFields, {
    id: "",
    properties: [],
    metadata: NO_BYTES,
    data: NO_BYTES,
  });
  const kept = properties.filter((property) => keyOf(property) !== "created");
  return encode([[1, [[2, id]]], ...kept.map((property): Field => [2, property]), [3, metadata], [4, data]]);
}

const keyOf = (property: Buffer): string => decode<Property>(property, propertyFields, { key: "", value: "" }).key;
