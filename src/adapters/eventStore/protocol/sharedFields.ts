// Stream, properties and metadata of recorded events: neighbours have the same ones, which are then read once.
import type { EventMetadata } from "../../../ports/eventStore.js";
import { type Reader, readProperty, readText, textIn } from "./protobuf.js";

interface Properties {
  readonly type: string;
  readonly contentType: string;
  readonly recordedAt: Date;
}

export const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };
export const noProperties: Properties = { type: "", contentType: "", recordedAt: new Date(Number.NaN) };

/** The values of these fields, as far as the fields are next to each other in the message. */
interface Shared {
  stream: string | undefined;
  properties: Properties | undefined;
  metadata: EventMetadata | undefined;
}

/** Reads these fields. `tag` is the tag of the first one; the reader is right after it. */
export type ReadShared = (reader: Reader, tag: number) => Shared;

const streamTag = 0x12;
const propertyTag = 0x32;
const metadataTag = 0x3a;
const readStream = textIn(3);

export function sharedFields(): ReadShared {
  /** The fields of the last event that were read, by the number of their first field. */
  const last: { readonly bytes: Buffer; readonly shared: Shared }[] = [];
  return (reader, tag) => {
    const bytes = reader.buf as Buffer;
    const from = reader.pos;
    const known = last[tag >>> 3];
    const to = from + (known ? known.bytes.length : 0);
    // If another property follows, this event has more properties than the last one.
    if (known && to <= reader.len && bytes[to] !== propertyTag && bytes.compare(known.bytes, 0, known.bytes.length, from, to) === 0) {
      reader.pos = to;
      return known.shared;
    }
    const shared = readTogether(reader, tag);
    last[tag >>> 3] = { bytes: Buffer.from(bytes.subarray(from, reader.pos)), shared };
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
  const found: Record<string, string> = {};
  for (;;) {
    const { key, value } = readProperty(reader);
    found[key] = value;
    if (reader.buf[reader.pos] !== propertyTag) break;
    reader.pos += 1;
  }
  const { type = "", created = "" } = found;
  // Created is in ticks of 100 ns.
  return { type, contentType: found["content-type"] ?? "", recordedAt: new Date(Number(created.slice(0, -4))) };
}

function readMetadata(reader: Reader): EventMetadata {
  const found = jsonOrText(readText(reader));
  return typeof found === "object" && found !== null ? (found as EventMetadata) : noMetadata;
}

/** Content that should be JSON but is not stays a text, which the codec refuses. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
