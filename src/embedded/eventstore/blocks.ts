// A block is a run of events of one append, stored exactly as a reader gets them: gRPC frames, one `ReadResp` each.
// The log is those frames end to end, and a position is an event's offset in it; so a read copies bytes and encodes nothing.
import { type Cursor, eachField, readBytes, readMessage, readText, restOf } from "./wire.js";

/** Before the stream's name: first revision, creation time, number of events, length of the name. */
export const HEAD_BYTES = 24;
/** gRPC's: one byte for compression, four for the length. */
export const FRAME_PREFIX = 5;
export const ID_BYTES = 36;

export interface ProposedEvent {
  id: string;
  type: string;
  /** The metadata map's entries as they came: type, content type and whatever else the client sent. */
  properties: Buffer[];
  metadata: Buffer;
  data: Buffer;
}

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

export const frameEnd = (frames: Buffer, at: number): number => at + FRAME_PREFIX + frames.readUInt32BE(at + 1);

/** Where each frame of the block begins. */
export function frameOffsets(block: Block): number[] {
  const offsets: number[] = [];
  for (let at = 0; at < block.frames.length; at = frameEnd(block.frames, at)) offsets.push(at);
  return offsets;
}

/** A cursor over the `RecordedEvent` in the frame that begins at `at`. */
function recordedEvent(frames: Buffer, at: number): Cursor {
  const response = { bytes: frames, at: at + FRAME_PREFIX + 1, end: frameEnd(frames, at) };
  const readEvent = readMessage(response);
  readEvent.at += 1;
  return readMessage(readEvent);
}

/** The `RecordedEvent` in the frame that begins at `at`, as it is stored. */
export const recordedAt = (frames: Buffer, at: number): Buffer => restOf(recordedEvent(frames, at));

export function eventIdAt(frames: Buffer, at: number): string {
  const id = recordedEvent(frames, at).at + 4;
  return frames.toString("latin1", id, id + ID_BYTES);
}

export function eventTypeAt(frames: Buffer, at: number): string {
  const cursor = recordedEvent(frames, at);
  let type = "";
  eachField(cursor, (field) => {
    if (field !== 6) return false;
    const property = readMessage(cursor);
    const { key, value } = readProperty(property);
    if (key === "type") type = value;
    return true;
  });
  return type;
}

export function eventDataAt(frames: Buffer, at: number): Buffer {
  const cursor = recordedEvent(frames, at);
  let data = Buffer.alloc(0);
  eachField(cursor, (field) => {
    if (field !== 8) return false;
    data = Buffer.from(readBytes(cursor));
    return true;
  });
  return data;
}

export function readProperty(cursor: Cursor): { key: string; value: string } {
  let key = "";
  let value = "";
  eachField(cursor, (field) => {
    if (field === 1) key = readText(cursor);
    else if (field === 2) value = readText(cursor);
    else return false;
    return true;
  });
  return { key, value };
}
