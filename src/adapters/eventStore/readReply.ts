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

/** One per call: neighbouring events share their metadata, which is then parsed once. */
export function replyReader(): (bytes: Buffer) => ReadReply {
  const metadataOf = metadataReader();
  return (bytes) => {
    if (bytes[0] !== eventTag) return rareReply(bytes);
    const cursor = cursorOver(bytes);
    nextField(cursor);
    readLength(cursor);
    if (nextField(cursor) !== 1) throw new Error("the server sent an event that is none");
    return recordedEvent(bytes, cursor, readLength(cursor), metadataOf);
  };
}

function recordedEvent(
  bytes: Buffer,
  cursor: Cursor,
  end: number,
  metadataOf: (bytes: Buffer, from: number, to: number) => EventMetadata,
): ReadReply {
  let [id, stream, type, created, contentType] = ["", "", "", "", ""];
  let [revision, prepare, commit] = [0n, 0n, 0n];
  let [metadataFrom, metadataTo, dataFrom, dataTo] = [0, 0, 0, 0];
  while (cursor.at < end) {
    switch (nextField(cursor)) {
      case 1:
        id = innerText(bytes, cursor, 2);
        break;
      case 2:
        stream = innerText(bytes, cursor, 3);
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
      case 6: {
        const [key, value] = mapEntry(bytes, cursor);
        if (key === "type") type = value;
        else if (key === "created") created = value;
        else if (key === "content-type") contentType = value;
        break;
      }
      case 7:
        metadataTo = readLength(cursor);
        metadataFrom = cursor.at;
        cursor.at = metadataTo;
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
  if (type.startsWith("$") || stream.startsWith("$")) return { kind: "event", position, event: undefined };
  const data = contentType === "application/json" ? parsed(bytes.toString("utf8", dataFrom, dataTo)) : bytes.subarray(dataFrom, dataTo);
  const metadata = metadataOf(bytes, metadataFrom, metadataTo);
  // Created is in ticks of 100 ns.
  const recordedAt = new Date(Number(created.slice(0, -4)));
  return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata, recordedAt } };
}

/** The text in the given field of a message, such as a UUID's or a stream identifier's. */
function innerText(bytes: Buffer, cursor: Cursor, wanted: number): string {
  const end = readLength(cursor);
  let text = "";
  while (cursor.at < end) {
    const number = nextField(cursor);
    if (number !== wanted) {
      skip(cursor);
      continue;
    }
    const to = readLength(cursor);
    text = bytes.toString("utf8", cursor.at, to);
    cursor.at = to;
  }
  return text;
}

function mapEntry(bytes: Buffer, cursor: Cursor): [string, string] {
  const end = readLength(cursor);
  const entry: [string, string] = ["", ""];
  while (cursor.at < end) {
    const number = nextField(cursor);
    const to = readLength(cursor);
    entry[number === 1 ? 0 : 1] = bytes.toString("utf8", cursor.at, to);
    cursor.at = to;
  }
  return entry;
}

function metadataReader(): (bytes: Buffer, from: number, to: number) => EventMetadata {
  let last = Buffer.alloc(0);
  let lastMetadata = noMetadata;
  return (bytes, from, to) => {
    if (last.length === to - from && bytes.compare(last, 0, last.length, from, to) === 0) return lastMetadata;
    last = Buffer.from(bytes.subarray(from, to));
    const found = parsed(last.toString("utf8"));
    lastMetadata = typeof found === "object" && found !== null ? (found as EventMetadata) : noMetadata;
    return lastMetadata;
  };
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
