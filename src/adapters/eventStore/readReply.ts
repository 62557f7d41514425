// Reads the protocol's ReadResp into our events. The client's generated code and its conversion cost some 30 us per event,
// this 3: a projector meets every row of every import.
import type { EventMetadata, Position, StoredEvent } from "../../ports.js";
import { readPosition } from "./batchReply.js";
import {
  decode,
  type Fields,
  MalformedMessage,
  message,
  present,
  type Reader,
  readBigInt,
  readBytes,
  readText,
  textIn,
} from "./protobuf.js";

export type ReadReply =
  /** `event` is undefined for the server's own events. */
  | { readonly kind: "event"; readonly position: Position; readonly event: StoredEvent | undefined }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caughtUp" | "fellBehind" | "streamNotFound" | "other" };

interface Properties {
  readonly type: string;
  readonly contentType: string;
  readonly recordedAt: Date;
}

interface Recorded {
  id: string;
  stream: string;
  revision: bigint;
  prepare: bigint;
  commit: bigint;
  properties: Properties;
  metadata: EventMetadata;
  data: Buffer;
}

const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };
const noProperties: Properties = { type: "", contentType: "", recordedAt: new Date(Number.NaN) };
const noBytes = Buffer.alloc(0);
const other: ReadReply = { kind: "other" };

/** One per call: neighbouring events share their stream, properties and metadata, which are then read once. */
export function replyReader(): (bytes: Buffer) => ReadReply {
  const recordedFields: Fields<Recorded> = {
    1: ["id", textIn(2)],
    2: ["stream", repeated(textIn(3))],
    3: ["revision", readBigInt],
    4: ["prepare", readBigInt],
    5: ["commit", readBigInt],
    6: ["properties", repeated(readProperties)],
    7: ["metadata", repeated(readMetadata)],
    8: ["data", readBytes],
  };
  const readRecorded = message(recordedFields, () => ({
    id: "",
    stream: "",
    revision: 0n,
    prepare: 0n,
    commit: 0n,
    properties: noProperties,
    metadata: noMetadata,
    data: noBytes,
  }));
  const readEventFields: Fields<{ event: Recorded | undefined }> = { 1: ["event", readRecorded] };
  const readEvent = message(readEventFields, () => ({ event: undefined }));
  const replyFields: Fields<{ reply: ReadReply }> = {
    1: ["reply", (reader) => eventReply(readEvent(reader).event)],
    3: ["reply", (reader) => ({ kind: "checkpoint", position: readPosition(reader) })],
    4: ["reply", present({ kind: "streamNotFound" })],
    8: ["reply", present({ kind: "caughtUp" })],
    9: ["reply", present({ kind: "fellBehind" })],
  };
  return (bytes) => decode(bytes, replyFields, { reply: other }).reply;
}

function eventReply(recorded: Recorded | undefined): ReadReply {
  if (!recorded) throw new MalformedMessage("the server sent a reply with an event, but without its content");
  const { id, stream, revision, prepare, commit, properties, metadata, data: bytes } = recorded;
  const { type, contentType, recordedAt } = properties;
  const position = { commit, prepare };
  if (type.startsWith("$") || stream.startsWith("$")) return { kind: "event", position, event: undefined };
  const data = contentType === "application/json" ? parsed(bytes.toString("utf8")) : bytes;
  return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata, recordedAt } };
}

const propertyTag = 0x32; // field 6, a message

/** Reads the field at the reader, unless its bytes are those of the last time. */
function repeated<Value>(read: (reader: Reader) => Value): (reader: Reader) => Value {
  let last: { readonly bytes: Buffer; readonly value: Value } | undefined;
  return (reader) => {
    const bytes = reader.buf as Buffer;
    const from = reader.pos;
    const to = from + (last?.bytes.length ?? 0);
    // A property behind them would be one more of the same.
    if (last && to <= reader.len && bytes[to] !== propertyTag && bytes.compare(last.bytes, 0, last.bytes.length, from, to) === 0) {
      reader.pos = to;
      return last.value;
    }
    const value = read(reader);
    last = { bytes: Buffer.from(bytes.subarray(from, reader.pos)), value };
    return value;
  };
}

const entryFields: Fields<{ key: string; value: string }> = { 1: ["key", readText], 2: ["value", readText] };
const readEntry = message(entryFields, () => ({ key: "", value: "" }));

/** From behind the first property's tag to the last property's end. */
function readProperties(reader: Reader): Properties {
  const found: Record<string, string> = {};
  for (;;) {
    const { key, value } = readEntry(reader);
    found[key] = value;
    if (reader.buf[reader.pos] !== propertyTag) break;
    reader.pos += 1;
  }
  const { type = "", created = "" } = found;
  // Created is in ticks of 100 ns.
  return { type, contentType: found["content-type"] ?? "", recordedAt: new Date(Number(created.slice(0, -4))) };
}

function readMetadata(reader: Reader): EventMetadata {
  const found = parsed(readText(reader));
  return typeof found === "object" && found !== null ? (found as EventMetadata) : noMetadata;
}

/** What is no JSON though it says so is left as text for the codec to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
