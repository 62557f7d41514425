import { decode, type Fields, MalformedMessage, type Reader, readBytes, textIn } from "../../../adapters/eventStore/protobuf.js";
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

/** Properties by their bytes: nearly all events have one of few types, and then share what was read once. */
const known = new Map<string, Sent>();
const MOST_KNOWN = 1_000;
const LONGEST_KNOWN = 200;

function readProperty(reader: Reader, before: Sent[]): Sent[] {
  const view = readBytes(reader);
  const text = view.length > LONGEST_KNOWN ? undefined : view.toString("latin1");
  let property = text === undefined ? undefined : known.get(text);
  if (!property) {
    const bytes = Buffer.from(view); // a copy: it may outlive the message
    property = { ...decode(bytes, propertyFields, { key: "", value: "" }), bytes };
    if (known.size >= MOST_KNOWN) known.clear();
    if (text !== undefined) known.set(text, property);
  }
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
