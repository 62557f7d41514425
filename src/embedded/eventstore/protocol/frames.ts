import { framePrefix } from "../../../adapters/eventStore/protocol/frames.js";
import { encode, type Message } from "../../../adapters/eventStore/protocol/protobuf.js";

/** A gRPC frame with the message in it. */
export function framed(message: Message): Buffer {
  const frame = encode(message, framePrefix);
  frame[0] = 0; // not compressed
  frame.writeUInt32BE(frame.length - framePrefix, 1);
  return frame;
}
