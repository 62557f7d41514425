// Reads the stream, properties and metadata of recorded events. Neighbouring events often have equal ones, which are then read once.
import type { EventMetadata } from "../../../ports/eventStore.js";
import { nestedText, type Reader, readProperty, readText } from "./protobuf.js";

interface Properties {
  readonly type: string;
  readonly contentType: string;
  readonly recordedAt: Date;
}

export const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };
export const noProperties: Properties = { type: "", contentType: "", recordedAt: new Date(Number.NaN) };

/** The values of fields that follow each other in the message. A field that is not among them is undefined. */
interface Shared {
  stream: string | undefined;
  properties: Properties | undefined;
  metadata: EventMetadata | undefined;
}

/** Reads stream, property and metadata fields that follow each other. `tag` is the first field's tag, and the reader is right after it. */
export type ReadShared = (reader: Reader, tag: number) => Shared;

const streamTag = 0x12;
const propertyTag = 0x32;
const metadataTag = 0x3a;
const readStream = nestedText(3);

export function sharedFieldsReader(): ReadShared {
  /** The fields that were last read, by the number of the first field. */
  const lastRead: { readonly bytes: Buffer; readonly shared: Shared }[] = [];
  return (reader, tag) => {
    const bytes = reader.buf as Buffer;
    const from = reader.pos;
    const prior = lastRead[tag >>> 3];
    const to = from + (prior ? prior.bytes.length : 0);
    // If another property follows, this event has more properties than the prior one.
    if (prior && to <= reader.len && bytes[to] !== propertyTag && bytes.compare(prior.bytes, 0, prior.bytes.length, from, to) === 0) {
      reader.pos = to;
      return prior.shared;
    }
    const shared = readTogether(reader, tag);
    lastRead[tag >>> 3] = { bytes: Buffer.from(bytes.subarray(from, reader.pos)), shared };
    return shared;
  };
}

function readTogether(reader: Reader, first: number): Shared {
  const shared: Shared = { stream: undefined, properties: undefined, metadata: undefined };
  for (let tag: number | undefined = first; ; reader.pos += 1) {
    if (tag === streamTag) shared.stream = readStream(reader);
    else if (tag === propertyTag) shared.properties = readProperties(reader);
    else shared.metadata = readMetadata(reader);
    tag = reader.pos < reader.len ? reader.buf[reader.pos] : undefined;
    if (tag !== streamTag && tag !== propertyTag && tag !== metadataTag) return shared;
  }
}

/** Reads from after the first property's tag to the end of the last property. */
function readProperties(reader: Reader): Properties {
  const values: Record<string, string> = {};
  for (;;) {
    const { key, value } = readProperty(reader);
    values[key] = value;
    if (reader.buf[reader.pos] !== propertyTag) break;
    reader.pos += 1;
  }
  const { type = "", created = "" } = values;
  // `created` counts ticks of 100 ns.
  return { type, contentType: values["content-type"] ?? "", recordedAt: new Date(Number(created.slice(0, -4))) };
}

function readMetadata(reader: Reader): EventMetadata {
  const metadata = jsonOrText(readText(reader));
  return typeof metadata === "object" && metadata !== null ? (metadata as EventMetadata) : noMetadata;
}

/** Parses JSON. Content that should be JSON but is not stays a text, which the events' codec refuses. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
