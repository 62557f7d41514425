import { encode, type Message } from "../../../adapters/eventStore/protobuf.js";

/** gRPC's, before each message: one byte for compression, four for the length. */
export const FRAME_PREFIX = 5;

/** A gRPC frame with the message in it. */
export function framed(message: Message): Buffer {
  const frame = encode(message, FRAME_PREFIX);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(frame.length - FRAME_PREFIX, 1);
  return frame;
}

/** Where the frame that begins at `at` ends. */
export const frameEnd = (frames: Buffer, at: number): number => at + FRAME_PREFIX + frames.readUInt32BE(at + 1);
