// Reads the protocol's ReadResp straight from its bytes into our events. The client's generated code and its conversion cost some
// 30 us per event, this 3: a projector meets every row of every import. Only replies that carry an event are read here; the
// rest are rare and left to the generated code.
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { EventMetadata, Position, StoredEvent } from "../../ports.js";
import { type Cursor, cursorOver, nextField, readBig, readLength, skip } from "./wire.js";

export type ReadReply =
  /** `event` is undefined for the server's own events. */
  | { readonly kind: "event"; readonly position: Position; readonly event: StoredEvent | undefined }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caughtUp" | "fellBehind" | "streamNotFound" | "other" };

const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };
const eventTag = 0x0a; // field 1, a message: in ReadResp and in ReadEvent alike
const propertyTag = 0x32; // field 6, a message

/** One per call: neighbouring events share their stream, properties and metadata, which are then read once. */
export function replyReader(): (bytes: Buffer) => ReadReply {
  const shared = { stream: repeated(readStreamName), properties: repeated(readProperties), metadata: repeated(readMetadata) };
  return (bytes) => {
    if (bytes[0] !== eventTag) return rareReply(bytes);
    const cursor = cursorOver(bytes);
    nextField(cursor);
    readLength(cursor);
    if (nextField(cursor) !== 1) throw new Error("the server sent an event that is none");
    return recordedEvent(cursor, readLength(cursor), shared);
  };
}

interface Shared {
  readonly stream: (cursor: Cursor, end: number) => string;
  readonly properties: (cursor: Cursor, end: number) => Properties;
  readonly metadata: (cursor: Cursor, end: number) => EventMetadata;
}

interface Properties {
  readonly type: string;
  readonly contentType: string;
  readonly recordedAt: Date;
}

const noProperties: Properties = { type: "", contentType: "", recordedAt: new Date(Number.NaN) };

function recordedEvent(cursor: Cursor, end: number, shared: Shared): ReadReply {
  const { bytes } = cursor;
  let [id, stream, properties, metadata] = ["", "", noProperties, noMetadata];
  let [revision, prepare, commit] = [0n, 0n, 0n];
  let [dataFrom, dataTo] = [0, 0];
  while (cursor.at < end) {
    switch (nextField(cursor)) {
      case 1:
        id = innerText(cursor, 2);
        break;
      case 2:
        stream = shared.stream(cursor, end);
        break;
      case 3:
        revision = readBig(cursor);
        break;
      case 4:
        prepare = readBig(cursor);
        break;
      case 5:
        commit = readBig(cursor);
        break;
      case 6:
        properties = shared.properties(cursor, end);
        break;
      case 7:
        metadata = shared.metadata(cursor, end);
        break;
      case 8:
        dataTo = readLength(cursor);
        dataFrom = cursor.at;
        cursor.at = dataTo;
        break;
      default:
        skip(cursor);
    }
  }
  const position = { commit, prepare };
  const { type, contentType, recordedAt } = properties;
  if (type.startsWith("$") || stream.startsWith("$")) return { kind: "event", position, event: undefined };
  const data = contentType === "application/json" ? parsed(bytes.toString("utf8", dataFrom, dataTo)) : bytes.subarray(dataFrom, dataTo);
  return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata, recordedAt } };
}

/** Reads what begins at the cursor, unless the bytes there are those of the last time. */
function repeated<Value>(read: (cursor: Cursor, end: number) => Value): (cursor: Cursor, end: number) => Value {
  let last: { readonly bytes: Buffer; readonly value: Value } | undefined;
  return (cursor, end) => {
    const { bytes, at } = cursor;
    const to = at + (last?.bytes.length ?? 0);
    // A property behind them would be one more of the same.
    if (last && to <= end && bytes[to] !== propertyTag && bytes.compare(last.bytes, 0, last.bytes.length, at, to) === 0) {
      cursor.at = to;
      return last.value;
    }
    const value = read(cursor, end);
    last = { bytes: Buffer.from(bytes.subarray(at, cursor.at)), value };
    return value;
  };
}

const readStreamName = (cursor: Cursor): string => innerText(cursor, 3);

/** The text in the given field of a message, such as a UUID's or a stream identifier's. */
function innerText(cursor: Cursor, wanted: number): string {
  const end = readLength(cursor);
  let text = "";
  while (cursor.at < end) {
    const number = nextField(cursor);
    if (number !== wanted) {
      skip(cursor);
      continue;
    }
    const to = readLength(cursor);
    text = cursor.bytes.toString("utf8", cursor.at, to);
    cursor.at = to;
  }
  return text;
}

/** From behind the first entry's tag to the last entry's end. */
function readProperties(cursor: Cursor, end: number): Properties {
  const found: Record<string, string> = {};
  for (;;) {
    const [key, value] = mapEntry(cursor);
    found[key] = value;
    if (cursor.at >= end || cursor.bytes[cursor.at] !== propertyTag) break;
    cursor.at += 1;
  }
  const { type = "", created = "" } = found;
  // Created is in ticks of 100 ns.
  return { type, contentType: found["content-type"] ?? "", recordedAt: new Date(Number(created.slice(0, -4))) };
}

function mapEntry(cursor: Cursor): [string, string] {
  const end = readLength(cursor);
  const entry: [string, string] = ["", ""];
  while (cursor.at < end) {
    const number = nextField(cursor);
    const to = readLength(cursor);
    entry[number === 1 ? 0 : 1] = cursor.bytes.toString("utf8", cursor.at, to);
    cursor.at = to;
  }
  return entry;
}

function readMetadata(cursor: Cursor): EventMetadata {
  const to = readLength(cursor);
  const found = parsed(cursor.bytes.toString("utf8", cursor.at, to));
  cursor.at = to;
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

function rareReply(bytes: Buffer): ReadReply {
  const reply = streams.ReadResp.deserializeBinary(bytes);
  const checkpoint = reply.getCheckpoint();
  if (checkpoint) {
    const position = { commit: BigInt(checkpoint.getCommitPosition()), prepare: BigInt(checkpoint.getPreparePosition()) };
    return { kind: "checkpoint", position };
  }
  if (reply.hasCaughtUp()) return { kind: "caughtUp" };
  if (reply.hasFellBehind()) return { kind: "fellBehind" };
  return { kind: reply.hasStreamNotFound() ? "streamNotFound" : "other" };
}
