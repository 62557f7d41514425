// A block is a run of events of one append, stored exactly as a reader gets them: gRPC frames, one `ReadResp` each.
// The log is those frames end to end, and a position is an event's offset in it. So a read copies bytes and encodes nothing.
import {
  decode,
  type Fields,
  MalformedMessage,
  message,
  type Reader,
  readBytes,
  readText,
  textIn,
} from "../../../adapters/eventStore/protobuf.js";
import { FRAME_PREFIX, frameEnd } from "../protocol/frames.js";

/** Before the stream's name: first revision, creation time, number of events, length of the name. */
export const HEAD_BYTES = 24;

export interface Block {
  stream: string;
  /** Of the first event in it. */
  position: number;
  revision: number;
  count: number;
  createdAt: number;
  frames: Buffer;
  /** What is stored: a head that says the above, then the frames. */
  bytes: Buffer;
  /** Of its events. Known of a block that has just been encoded, not of one from the disk. */
  types?: ReadonlySet<string>;
}

export const endOf = (block: Block): number => block.position + block.frames.length;

export function decodeBlock(position: number, bytes: Buffer): Block {
  const nameEnd = HEAD_BYTES + bytes.readUInt32BE(20);
  return {
    position,
    revision: bytes.readDoubleBE(0),
    createdAt: bytes.readDoubleBE(8),
    count: bytes.readUInt32BE(16),
    stream: bytes.toString("utf8", HEAD_BYTES, nameEnd),
    frames: bytes.subarray(nameEnd),
    bytes,
  };
}

/** Where each frame of the block begins. */
export function frameOffsets(block: Block): number[] {
  const offsets: number[] = [];
  for (let at = 0; at < block.frames.length; at = frameEnd(block.frames, at)) offsets.push(at);
  return offsets;
}

/** An entry of an event's properties: its type, its content type, when it was created. Without a table: every event of an append has some. */
export function readProperty(reader: Reader): { key: string; value: string } {
  const end = reader.uint32() + reader.pos;
  let [key, value] = ["", ""];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 0x0a) key = readText(reader);
    else if (tag === 0x12) value = readText(reader);
    else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new MalformedMessage("a property is longer than its message");
  return { key, value };
}

interface RecordedEvent {
  id: string;
  type: string;
  data: Buffer;
}

function readType(reader: Reader, before: string): string {
  const { key, value } = readProperty(reader);
  return key === "type" ? value : before;
}

const recordedFields: Fields<RecordedEvent> = {
  1: ["id", textIn(2)],
  6: ["type", readType],
  8: ["data", readBytes],
};

interface Holder {
  event: RecordedEvent;
}

const nothing = (): RecordedEvent => ({ id: "", type: "", data: Buffer.alloc(0) });
const readEventFields: Fields<Holder> = { 1: ["event", message(recordedFields, nothing)] };
const readEvent = message(readEventFields, () => ({ event: nothing() }));
const responseFields: Fields<Holder> = { 1: ["event", (reader) => readEvent(reader).event] };

/** The event in the frame that begins at `at`; its data is a view on the frame. */
export const eventAt = (frames: Buffer, at: number): RecordedEvent =>
  decode(frames.subarray(at + FRAME_PREFIX, frameEnd(frames, at)), responseFields, { event: nothing() }).event;
