// A block is a run of events of one append, stored exactly as a reader gets them: as gRPC frames, one `ReadResp` each. The log is these
// frames end to end, and a position is an event's offset in it. So a read copies bytes and encodes nothing.
import { frameEnd, framePrefix, splitFrames } from "../../../adapters/eventStore/protocol/frames.js";
import {
  messageReader,
  nestedReader,
  nestedText,
  type Reader,
  readBytes,
  readProperty,
} from "../../../adapters/eventStore/protocol/protobuf.js";

/** A block begins with its first revision, creation time, number of events and the length of its stream's name. The name follows. */
export const HEAD_BYTES = 24;

export interface Block {
  stream: string;
  /** Position and revision are those of the first event. */
  position: number;
  revision: number;
  count: number; // of events
  createdAt: number; // in ms since 1970
  frames: Buffer;
  /** The types of the events. Set only for a block that has just been encoded, not for one from the disk. */
  types?: ReadonlySet<string>;
}

export interface NewBlock extends Block {
  /** The stored bytes: the head, which ends with the stream's name, then the frames. */
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
  };
}

export const lastFrame = ({ frames }: Block): Buffer => splitFrames(frames).at(-1) as Buffer;

/** A block of the events that satisfy `isIncluded`, which have to be consecutive. */
export function partOf(block: Block, isIncluded: (position: number, revision: number) => boolean): Block {
  let [from, to, skipped, count] = [0, 0, 0, 0];
  for (let at = 0, end = 0; at < block.frames.length; at = end) {
    end = frameEnd(block.frames, at);
    if (isIncluded(block.position + at, block.revision + skipped + count)) {
      if (count === 0) from = at;
      count += 1;
      to = end;
    } else if (count === 0) skipped += 1;
    else break;
  }
  return { ...block, position: block.position + from, revision: block.revision + skipped, count, frames: block.frames.subarray(from, to) };
}

function readType(reader: Reader, previous: string): string {
  const { key, value } = readProperty(reader);
  return key === "type" ? value : previous;
}

const noEvent = { id: "", type: "", data: Buffer.alloc(0) as Buffer };
const readRecorded = nestedReader(() => ({ ...noEvent }), { 1: ["id", nestedText(2)], 6: ["type", readType], 8: ["data", readBytes] });
const readEvent = nestedReader(() => ({ recorded: noEvent }), { 1: ["recorded", readRecorded] });
const readResponse = messageReader(() => ({ event: { recorded: noEvent } }), { 1: ["event", readEvent] });

/** Decodes the event in a frame. Its data is a view on the frame. */
export const eventIn = (frame: Buffer): typeof noEvent => readResponse(frame.subarray(framePrefix)).event.recorded;
