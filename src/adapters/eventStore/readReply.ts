// Reads the protocol's ReadResp into our events. The client's generated code and its conversion cost some 30 us per event,
// this 3: a projector meets every row of every import.
import type { EventMetadata, Position, StoredEvent } from "../../ports/eventStore.js";
import { readPosition } from "./batchReply.js";
import { readProperty } from "./eventProperties.js";
import { MalformedMessage, present, type Reader, readBigInt, reading, readText, textIn, wholeMessage } from "./protobuf.js";

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

const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };
const noProperties: Properties = { type: "", contentType: "", recordedAt: new Date(Number.NaN) };
const other: ReadReply = { kind: "other" };
const readId = textIn(2);
const eventTag = 0x0a; // field 1, a message: of a reply, and of the message in it
const propertyTag = 0x32; // field 6, a message

/** Reads the message between two places of the bytes. */
type ReplyReader = (bytes: Buffer, from?: number, to?: number) => ReadReply;

/** One per call: neighbouring events share their stream, properties and metadata, which are then read once. */
export function replyReader(): ReplyReader {
  const shared = { stream: readOnce(textIn(3)), properties: readOnce(readProperties), metadata: readOnce(readMetadata) };
  function readEvent(reader: Reader): ReadReply {
    const end = reader.uint32() + reader.pos;
    let event: ReadReply | undefined;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === eventTag) event = readRecorded(reader, shared);
      else reader.skipType(tag & 7);
    }
    if (!event) throw new MalformedMessage("the server sent an event without its content");
    return event;
  }
  const readOther = wholeMessage((): { reply: ReadReply } => ({ reply: other }), {
    1: ["reply", readEvent],
    3: ["reply", (reader) => ({ kind: "checkpoint", position: readPosition(reader) })],
    4: ["reply", present({ kind: "streamNotFound" })],
    8: ["reply", present({ kind: "caughtUp" })],
    9: ["reply", present({ kind: "fellBehind" })],
  });
  const readBehindTag = (reader: Reader): ReadReply => {
    reader.pos += 1;
    return readEvent(reader);
  };
  return (bytes, from = 0, to = bytes.length) =>
    bytes[from] === eventTag && to > from ? reading(bytes, readBehindTag, from, to) : readOther(bytes.subarray(from, to)).reply;
}

interface Shared {
  readonly stream: (reader: Reader) => string;
  readonly properties: (reader: Reader) => Properties;
  readonly metadata: (reader: Reader) => EventMetadata;
}

/** Field by field, without a table: every row of every import comes this way. */
function readRecorded(reader: Reader, shared: Shared): ReadReply {
  const end = reader.uint32() + reader.pos;
  let [id, stream, properties, metadata] = ["", "", noProperties, noMetadata];
  let [revision, prepare, commit] = [0n, 0n, 0n];
  let [dataFrom, dataTo] = [0, 0];
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        id = readId(reader);
        break;
      case 2:
        stream = shared.stream(reader);
        break;
      case 3:
        revision = readBigInt(reader);
        break;
      case 4:
        prepare = readBigInt(reader);
        break;
      case 5:
        commit = readBigInt(reader);
        break;
      case 6:
        properties = shared.properties(reader);
        break;
      case 7:
        metadata = shared.metadata(reader);
        break;
      case 8:
        dataTo = reader.uint32() + reader.pos;
        dataFrom = reader.pos;
        reader.skip(dataTo - dataFrom);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  if (reader.pos !== end) throw new MalformedMessage("an event is longer than its message");
  const position = { commit, prepare };
  const { type, contentType, recordedAt } = properties;
  if (type.startsWith("$") || stream.startsWith("$")) return { kind: "event", position, event: undefined };
  const bytes = reader.buf as Buffer;
  const data = contentType === "application/json" ? parsed(bytes.toString("utf8", dataFrom, dataTo)) : bytes.subarray(dataFrom, dataTo);
  return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata, recordedAt } };
}

/** Reads the field at the reader, unless its bytes are those of the last time. */
function readOnce<Value>(read: (reader: Reader) => Value): (reader: Reader) => Value {
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

/** From behind the first property's tag to the last property's end. */
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
