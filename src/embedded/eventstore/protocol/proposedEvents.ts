import { readProperty } from "../../../adapters/eventStore/eventProperties.js";
import {
  encode,
  type Field,
  MalformedMessage,
  type Reader,
  readBytes,
  reading,
  readSpan,
  readText,
  repeated,
  type Span,
  textIn,
  wholeMessage,
} from "../../../adapters/eventStore/protobuf.js";
import type { ProposedEvent } from "../log/blockEncoder.js";
import { missingProperty } from "./grpcErrors.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES: Buffer = Buffer.alloc(0);

/** The tags of a proposed event's fields, all of which are bytes. */
const tag = { id: 0x0a, property: 0x12, metadata: 0x1a, data: 0x22 } as const;
/** In a recorded event the numbers of properties, metadata and data are higher by four. */
const RECORDED = 4 << 3;

const readId = textIn(2);

/**
 * Reads an event of an append. Its fields get the numbers that they have in a recorded event, in the message's own bytes, so that the block is
 * made by copying them. They have to be in the order of their numbers, as clients send them; others are put in order first, and also
 * those of an event that says when it was created, which is the server's to say.
 */
export function readProposedEvent(reader: Reader, { from, to }: Span): ProposedEvent {
  const bytes = reader.buf as Buffer;
  const inOrder = (): ProposedEvent => readInOrder(bytes.subarray(from, to));
  const tags: number[] = [];
  let [id, type, contentType] = ["", undefined as string | undefined, undefined as string | undefined];
  let [fieldsFrom, dataBytes, last] = [from, 0, 0];
  reader.pos = from;
  while (reader.pos < to) {
    const current = bytes[reader.pos] as number;
    if (current < last || (current === last && current !== tag.property)) return inOrder();
    last = current;
    if (current !== tag.id) tags.push(reader.pos);
    reader.pos += 1;
    if (current === tag.id) {
      id = readId(reader).toLowerCase();
      fieldsFrom = reader.pos;
    } else if (current === tag.property) {
      const { key, value } = readProperty(reader);
      if (key === "created") return inOrder();
      if (key === "type") type = value;
      else if (key === "content-type") contentType = value;
    } else if (current === tag.metadata || current === tag.data) {
      const content = readSpan(reader);
      if (current === tag.data) dataBytes = content.to - content.from;
    } else return inOrder();
  }
  if (reader.pos !== to) throw new MalformedMessage("a field is longer than its event");
  if (type === undefined) throw missingProperty("type");
  if (contentType === undefined) throw missingProperty("content-type");
  if (!UUID.test(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  if (type === "") throw new MalformedMessage("an event type is required");
  for (const at of tags) bytes[at] = (bytes[at] as number) + RECORDED;
  return { id, type, fields: bytes.subarray(fieldsFrom, to), dataBytes };
}

const readFields = wholeMessage(() => ({ id: NO_BYTES, properties: [] as Buffer[], metadata: NO_BYTES, data: NO_BYTES }), {
  1: ["id", readBytes],
  2: ["properties", repeated(readBytes)],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
});
const readKey = wholeMessage(() => ({ key: "" }), { 1: ["key", readText] });

function readInOrder(message: Buffer): ProposedEvent {
  const { id, properties, metadata, data } = readFields(message);
  const kept = properties.filter((property) => readKey(property).key !== "created");
  const ordered = encode([[1, id], ...kept.map((property): Field => [2, property]), [3, metadata], [4, data]]);
  return reading(ordered, (reader) => readProposedEvent(reader, { from: 0, to: reader.len }));
}
