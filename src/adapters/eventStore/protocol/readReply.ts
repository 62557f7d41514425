// Reads the protocol's ReadResp into our events. A projector reads the events of every row of every import. The client's generated code and
// its conversion take some 30 us per event; this file takes 3 us.
import type { Position, StoredEvent } from "../../../ports/eventStore.js";
import { frameEnd, framePrefix } from "./frames.js";
import { MalformedMessage, messageReader, nestedReader, nestedText, type Reader, readBigInt, readSafely, whenPresent } from "./protobuf.js";
import { jsonOrText, noMetadata, noProperties, type ReadShared, sharedFieldsReader } from "./sharedFields.js";

export type ReadReply =
  /** `event` is undefined for the server's own events, whose type or stream begins with `$`. */
  | { readonly kind: "event"; readonly position: Position; readonly event: StoredEvent | undefined }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caughtUp" | "fellBehind" | "streamNotFound" | "other" };

const readPosition = nestedReader((): Position => ({ commit: 0n, prepare: 0n }), {
  1: ["commit", readBigInt],
  2: ["prepare", readBigInt],
});

const otherReply: ReadReply = { kind: "other" };
const eventTag = 0x0a; // field 1 with a length: the event in a reply, and in that event the recorded event

/** Reads the message in the bytes from `from` to `to`. */
type ReplyReader = (bytes: Buffer, from?: number, to?: number) => ReadReply;

/** Creates the reader for one call. Neighbouring events share their stream, properties and metadata, which the reader then decodes once. */
export function replyReader(): ReplyReader {
  const readShared = sharedFieldsReader();
  function readEvent(reader: Reader): ReadReply {
    const end = reader.uint32() + reader.pos;
    let event: ReadReply | undefined;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === eventTag) event = readRecorded(reader, readShared);
      else reader.skipType(tag & 7);
    }
    if (!event) throw new MalformedMessage("the server sent an event without its content");
    return event;
  }
  const readAnyReply = messageReader((): { reply: ReadReply } => ({ reply: otherReply }), {
    1: ["reply", readEvent],
    3: ["reply", (reader) => ({ kind: "checkpoint", position: readPosition(reader) })],
    4: ["reply", whenPresent({ kind: "streamNotFound" })],
    8: ["reply", whenPresent({ kind: "caughtUp" })],
    9: ["reply", whenPresent({ kind: "fellBehind" })],
  });
  const readAfterTag = (reader: Reader): ReadReply => {
    reader.pos += 1;
    return readEvent(reader);
  };
  return (bytes, from = 0, to = bytes.length) =>
    bytes[from] === eventTag && to > from ? readSafely(bytes, readAfterTag, from, to) : readAnyReply(bytes.subarray(from, to)).reply;
}

/** Reads field by field, without a table, since this function reads every event of every import. */
function readRecorded(reader: Reader, readShared: ReadShared): ReadReply {
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
      case 6:
      case 7: {
        const shared = readShared(reader, tag);
        stream = shared.stream ?? stream;
        properties = shared.properties ?? properties;
        metadata = shared.metadata ?? metadata;
        break;
      }
      case 3:
        revision = readBigInt(reader);
        break;
      case 4:
        prepare = readBigInt(reader);
        break;
      case 5:
        commit = readBigInt(reader);
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
  const data = contentType === "application/json" ? jsonOrText(bytes.toString("utf8", dataFrom, dataTo)) : bytes.subarray(dataFrom, dataTo);
  return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata, recordedAt } };
}

const readAnyId = nestedText(2);

/** A UUID is 36 characters in a field of 38 bytes. */
function readId(reader: Reader): string {
  const [bytes, at] = [reader.buf as Buffer, reader.pos];
  if (bytes[at] !== 38 || bytes[at + 1] !== 0x12 || bytes[at + 2] !== 36 || at + 39 > reader.len) return readAnyId(reader);
  reader.pos = at + 39;
  return bytes.toString("latin1", at + 3, at + 39);
}

/** The replies of a Read call that arrived together. `next` decodes one of them. Until then a reply takes a few hundred bytes. */
export interface ReplyGroup {
  hasMore(): boolean;
  /** Call it only while `hasMore()`. */
  next(): ReadReply;
}

/** Reads what a call delivers: one message, or a group of frames as `groupFrames` makes it. */
export function replyGroupReader(): (bytes: Buffer) => ReplyGroup {
  const read = replyReader();
  return (bytes) => {
    const isGroup = bytes[0] === 0; // a group begins with a frame's 0, which no message does
    let [next, isDone] = [0, false];
    return {
      hasMore: () => !isDone,
      next() {
        const at = next;
        next = isGroup ? frameEnd(bytes, at) : bytes.length;
        isDone = next >= bytes.length;
        return read(bytes, isGroup ? at + framePrefix : at, next);
      },
    };
  };
}
