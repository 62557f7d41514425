import { type ProposedEvent, readProperty } from "./blocks.js";
import { missingProperty } from "./grpcErrors.js";
import { isPlainUuidAt, readUuid } from "./uuids.js";
import { cursorOver, eachField, readBytes, readMessage, readVarint, WireError } from "./wire.js";

/** An id as the Node client and we write it: field 1, a UUID message that holds 36 characters. */
const TEXT_ID = Buffer.from([0x0a, 38, 0x12, 36]);
const ID_END = TEXT_ID.length + 36;
const DATA_TAG = 0x22;
const NIL_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Reads the events of one append. Neighbours mostly differ in their ids and data alone: what lies between is then compared with
 * the one before, not read again, and the two share it. The bytes are copied out of the message only when the block is encoded.
 */
export function proposedEventReader(): (message: Buffer) => ProposedEvent {
  let last: { event: ProposedEvent; message: Buffer } | undefined;
  let between: Buffer | undefined;
  return (message) => {
    if (last && !between) between = betweenIdAndData(last.message, last.event); // only where there is a second one
    const alike = last && between && readLike(last.event, between, message);
    if (alike) return alike;
    const event = readProposedEvent(message);
    last = { event, message };
    between = undefined;
    return event;
  };
}

function readLike(model: ProposedEvent, between: Buffer, message: Buffer): ProposedEvent | undefined {
  const betweenEnd = ID_END + between.length;
  if (message.length <= betweenEnd || message[betweenEnd] !== DATA_TAG) return undefined;
  if (message.compare(TEXT_ID, 0, TEXT_ID.length, 0, TEXT_ID.length) !== 0) return undefined;
  if (message.compare(between, 0, between.length, ID_END, betweenEnd) !== 0) return undefined;
  const cursor = { bytes: message, at: betweenEnd + 1, end: message.length };
  const length = readVarint(cursor);
  if (cursor.at + length !== message.length) return undefined;
  if (!isPlainUuidAt(message, TEXT_ID.length)) return undefined;
  const id = message.toString("latin1", TEXT_ID.length, ID_END);
  if (id === NIL_ID) return undefined;
  return { id, type: model.type, properties: model.properties, metadata: model.metadata, data: message.subarray(cursor.at) };
}

/** Undefined unless the id comes first, the data last, and each once. */
function betweenIdAndData(message: Buffer, event: ProposedEvent): Buffer | undefined {
  const cursor = cursorOver(message);
  const fields: number[] = [];
  let end = 0;
  for (let at = 0; at < message.length; at = cursor.at) {
    end = at;
    cursor.at = at;
    const tag = readVarint(cursor);
    if ((tag & 7) !== 2) return undefined;
    fields.push(tag >>> 3);
    readBytes(cursor);
  }
  const inner = fields.slice(1, -1);
  if (fields[0] !== 1 || fields.at(-1) !== 4 || inner.includes(1) || inner.includes(4)) return undefined;
  return message.toString("latin1", TEXT_ID.length, ID_END).toLowerCase() === event.id ? message.subarray(ID_END, end) : undefined;
}

function readProposedEvent(message: Buffer): ProposedEvent {
  const cursor = cursorOver(message);
  const event: ProposedEvent = { id: "", type: "", properties: [], metadata: Buffer.alloc(0), data: Buffer.alloc(0) };
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
