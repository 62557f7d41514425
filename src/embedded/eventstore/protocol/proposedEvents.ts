import {
  decode,
  decodeInner,
  type Fields,
  MalformedMessage,
  type Reader,
  readBytes,
  textIn,
} from "../../../adapters/eventStore/protobuf.js";
import type { ProposedEvent } from "../log/blockEncoder.js";
import { type Property, propertyFields } from "../log/blocks.js";
import { missingProperty } from "./grpcErrors.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES = Buffer.alloc(0);

/** For a field that may come many times. */
export function readOneMore(reader: Reader, before: Buffer[]): Buffer[] {
  before.push(readBytes(reader));
  return before;
}

/** A property, and the bytes that it came in. */
interface Sent extends Property {
  bytes: Buffer;
}

function readProperty(reader: Reader, before: Sent[]): Sent[] {
  const from = reader.pos;
  const property: Sent = { key: "", value: "", bytes: readBytes(reader) };
  reader.pos = from;
  decodeInner<Property>(reader, propertyFields, property);
  before.push(property);
  return before;
}

interface Proposed extends Pick<ProposedEvent, "id" | "metadata" | "data"> {
  properties: Sent[];
}

const proposedFields: Fields<Proposed> = {
  1: ["id", textIn(2)],
  2: ["properties", readProperty],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
};

/** An event of an append. Its bytes are views on the message; they are copied when the block is encoded. */
export function readProposedEvent(message: Buffer): ProposedEvent {
  const event = decode<Proposed>(message, proposedFields, { id: "", properties: [], metadata: NO_BYTES, data: NO_BYTES });
  const id = event.id.toLowerCase();
  let type: string | undefined;
  let hasContentType = false;
  const properties: Buffer[] = [];
  for (const { key, value, bytes } of event.properties) {
    if (key === "type") type = value;
    else if (key === "content-type") hasContentType = true;
    if (key !== "created") properties.push(bytes); // which is the server's to say
  }
  if (type === undefined) throw missingProperty("type");
  if (!hasContentType) throw missingProperty("content-type");
  if (!UUID.test(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  if (type === "") throw new MalformedMessage("an event type is required");
  return { id, type, properties, metadata: event.metadata, data: event.data };
}
