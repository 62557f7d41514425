import { decode, type Fields, MalformedMessage, type Reader, readBytes, textIn } from "../../adapters/eventStore/protobuf.js";
import type { ProposedEvent } from "./blockEncoder.js";
import { propertyFields } from "./blocks.js";
import { missingProperty } from "./grpcErrors.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_ID = "00000000-0000-0000-0000-000000000000";
const NO_BYTES = Buffer.alloc(0);

/** For a field that may come many times. */
export function readOneMore(reader: Reader, before: Buffer[]): Buffer[] {
  before.push(readBytes(reader));
  return before;
}

const proposedFields: Fields<Omit<ProposedEvent, "type">> = {
  1: ["id", textIn(2)],
  2: ["properties", readOneMore],
  3: ["metadata", readBytes],
  4: ["data", readBytes],
};

/** An event of an append. Its bytes are views on the message; they are copied when the block is encoded. */
export function readProposedEvent(bytes: Buffer): ProposedEvent {
  const { id, properties, metadata, data } = decode(bytes, proposedFields, { id: "", properties: [], metadata: NO_BYTES, data: NO_BYTES });
  let type: string | undefined;
  let hasContentType = false;
  const kept = properties.filter((property) => {
    const { key, value } = decode(property, propertyFields, { key: "", value: "" });
    if (key === "type") type = value;
    hasContentType ||= key === "content-type";
    return key !== "created"; // which is the server's to say
  });
  if (type === undefined) throw missingProperty("type");
  if (!hasContentType) throw missingProperty("content-type");
  if (!UUID.test(id) || id === NIL_ID) throw new MalformedMessage("an event needs a UUID, as text");
  if (type === "") throw new MalformedMessage("an event type is required");
  return { id: id.toLowerCase(), type, properties: kept, metadata, data };
}
