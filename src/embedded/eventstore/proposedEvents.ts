import { type ProposedEvent, readProperty } from "./blocks.js";
import { missingProperty } from "./grpcErrors.js";
import { isPlainUuidAt, readUuid } from "./uuids.js";
import { cursorOver, eachField, readBytes, readMessage, WireError } from "./wire.js";

/** An id as the Node client writes it: field 1, a UUID message that holds 36 characters. */
const TEXT_ID = Buffer.from([0x0a, 38, 0x12, 36]);
const ID_END = TEXT_ID.length + 36;
const PROPERTY_TAG = 0x12;
const METADATA_TAG = 0x1a;
const DATA_TAG = 0x22;
const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES = Buffer.alloc(0);

/** What events of one type and content type have in common. */
interface Likeness {
  type: string;
  properties: Buffer[];
  /** The properties as they lie in a message, between its id and its metadata. */
  encoded: Buffer;
}

export type EventReader = (message: Buffer) => ProposedEvent;

/**
 * Reads the events of appends. Most have the properties of the one before: these are then compared, not read again, and the two share them.
 * The bytes are copied out of the message only when the block is encoded.
 */
export function proposedEventReader(): EventReader {
  let last: Likeness | undefined;
  return (message) => {
    const alike = last && readLike(last, message);
    if (alike) return alike;
    const event = readProposedEvent(message);
    const likeness = likenessOf(event, message);
    if (!likeness) return event;
    last = likeness;
    return { ...event, properties: likeness.properties };
  };
}

/** Undefined unless the id comes first, in plain form, then just these properties, then metadata and data. */
function readLike({ type, properties, encoded }: Likeness, message: Buffer): ProposedEvent | undefined {
  const propertiesEnd = ID_END + encoded.length;
  if (message.length < propertiesEnd) return undefined;
  if (encoded.compare(message, ID_END, propertiesEnd) !== 0 || !startsWithPlainId(message)) return undefined;
  const id = message.toString("latin1", TEXT_ID.length, ID_END);
  if (id === NIL_ID) return undefined;
  const event: ProposedEvent = { id, type, properties, metadata: NO_BYTES, data: NO_BYTES };
  const cursor = { bytes: message, at: propertiesEnd, end: message.length };
  while (cursor.at < cursor.end) {
    const tag = message[cursor.at++];
    if (tag === METADATA_TAG) event.metadata = readBytes(cursor);
    else if (tag === DATA_TAG) event.data = readBytes(cursor);
    else return undefined;
  }
  return event;
}

function startsWithPlainId(message: Buffer): boolean {
  for (let at = 0; at < TEXT_ID.length; at++) if (message[at] !== TEXT_ID[at]) return false;
  return isPlainUuidAt(message, TEXT_ID.length);
}

/** Of a message that was read: undefined where it is laid out in another way. */
function likenessOf({ type, properties }: ProposedEvent, message: Buffer): Likeness | undefined {
  if (message.length < ID_END || !startsWithPlainId(message)) return undefined;
  const cursor = { bytes: message, at: ID_END, end: message.length };
  while (message[cursor.at] === PROPERTY_TAG) {
    cursor.at += 1;
    readBytes(cursor);
  }
  const encoded = Buffer.from(message.subarray(ID_END, cursor.at)); // copies: it outlives the message
  const likeness = { type, properties: properties.map((property) => Buffer.from(property)), encoded };
  return readLike(likeness, message) && likeness;
}

function readProposedEvent(message: Buffer): ProposedEvent {
  const cursor = cursorOver(message);
  const event: ProposedEvent = { id: "", type: "", properties: [], metadata: NO_BYTES, data: NO_BYTES };
  let typed = false;
  let contentTyped = false;
  eachField(cursor, (field) => {
    if (field === 1) event.id = readUuid(readMessage(cursor));
    else if (field === 2) {
      const property = readBytes(cursor);
      const { key, value } = readProperty(cursorOver(property));
      if (key === "type") event.type = value;
      typed ||= key === "type";
      contentTyped ||= key === "content-type";
      if (key !== "created") event.properties.push(property); // the server's to say
    } else if (field === 3) event.metadata = readBytes(cursor);
    else if (field === 4) event.data = readBytes(cursor);
    else return false;
    return true;
  });
  if (!typed) throw missingProperty("type");
  if (!contentTyped) throw missingProperty("content-type");
  if (event.id === "" || event.id === NIL_ID) throw new WireError("an event id is required");
  if (event.type === "") throw new WireError("an event type is required");
  return event;
}
