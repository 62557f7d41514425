// Reads the protocol's ReadResp into our events. The client's generated code and its conversion cost some 30 us per event, this a sixth of it:
// a projector meets every row of every import.
import type { EventMetadata, Position, StoredEvent } from "../../../ports/eventStore.js";
import { readProperty } from "./eventProperties.js";
import { frameEnd, framePrefix } from "./frames.js";
import { MalformedMessage, message, type Reader, readBigInt, readBytes, readText, textIn, whenPresent, wholeMessage } from "./protobuf.js";

export type ReadReply =
  /** `event` is undefined for the server's own events. */
  | { readonly kind: "event"; readonly position: Position; readonly event: StoredEvent | undefined }
  | { readonly kind: "checkpoint"; readonly position: Position }
  | { readonly kind: "caughtUp" | "fellBehind" | "streamNotFound" | "other" };

export const readPosition = message((): Position => ({ commit: 0n, prepare: 0n }), {
  1: ["commit", readBigInt],
  2: ["prepare", readBigInt],
});

const noBytes: Buffer = Buffer.alloc(0);
const readRecorded = message(
  () => ({
    id: "",
    stream: "",
    revision: 0n,
    prepare: 0n,
    commit: 0n,
    properties: {} as Record<string, string>,
    metadata: "",
    data: noBytes,
  }),
  {
    1: ["id", textIn(2)],
    2: ["stream", textIn(3)],
    3: ["revision", readBigInt],
    4: ["prepare", readBigInt],
    5: ["commit", readBigInt],
    6: ["properties", addProperty],
    7: ["metadata", readText],
    8: ["data", readBytes],
  },
);
const readContent = message(() => ({ recorded: undefined as ReturnType<typeof readRecorded> | undefined }), {
  1: ["recorded", readRecorded],
});

function addProperty(reader: Reader, properties: Record<string, string>): Record<string, string> {
  const { key, value } = readProperty(reader);
  properties[key] = value;
  return properties;
}

/** One per call: neighbouring events have the same metadata, which are then parsed once. */
export function replyReader(): (bytes: Buffer) => ReadReply {
  let last = { text: "", metadata: noMetadata };

  function readEvent(reader: Reader): ReadReply {
    const { recorded } = readContent(reader);
    if (!recorded) throw new MalformedMessage("the server sent an event without its content");
    const { id, stream, revision, prepare, commit, properties, metadata: text, data: bytes } = recorded;
    const position = { commit, prepare };
    const { type = "", created = "", "content-type": contentType } = properties;
    if (type.startsWith("$") || stream.startsWith("$")) return { kind: "event", position, event: undefined };
    if (text !== last.text) last = { text, metadata: metadataIn(text) };
    const data = contentType === "application/json" ? jsonOrText(bytes.toString("utf8")) : bytes;
    const recordedAt = new Date(Number(created.slice(0, -4))); // sent in ticks of 100 ns
    return { kind: "event", position, event: { stream, revision, position, id, type, data, metadata: last.metadata, recordedAt } };
  }

  const readReply = wholeMessage((): { reply: ReadReply } => ({ reply: { kind: "other" } }), {
    1: ["reply", readEvent],
    3: ["reply", (reader) => ({ kind: "checkpoint", position: readPosition(reader) })],
    4: ["reply", whenPresent({ kind: "streamNotFound" })],
    8: ["reply", whenPresent({ kind: "caughtUp" })],
    9: ["reply", whenPresent({ kind: "fellBehind" })],
  });
  return (bytes) => readReply(bytes).reply;
}

const noMetadata: EventMetadata = { organisation: "", actor: "", $correlationId: "", v: 0 };

function metadataIn(text: string): EventMetadata {
  const found = jsonOrText(text);
  return typeof found === "object" && found !== null ? (found as EventMetadata) : noMetadata;
}

/** Content that should be JSON but is not stays a text, which the codec refuses. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The replies of a Read call that arrived together. Each is decoded when it is taken: until then it takes a few hundred bytes. */
export interface ReplyGroup {
  hasMore(): boolean;
  /** Call it only while `hasMore()`. */
  next(): ReadReply;
}

/** Reads what a call hands over: a message, or several of them as `groupFrames` makes them. */
export function replyGroupReader(): (bytes: Buffer) => ReplyGroup {
  const read = replyReader();
  return (bytes) => {
    const isGroup = bytes[0] === 0;
    let [next, isDone] = [0, false];
    return {
      hasMore: () => !isDone,
      next() {
        const at = next;
        next = isGroup ? frameEnd(bytes, at) : bytes.length;
        isDone = next >= bytes.length;
        return read(bytes.subarray(isGroup ? at + framePrefix : at, next));
      },
    };
  };
}
