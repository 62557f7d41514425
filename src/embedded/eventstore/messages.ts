import { FRAME_PREFIX } from "./blocks.js";
import { varintSize, writeVarint } from "./wire.js";

/** A field by its number: a varint, bytes, text, or a message of its own. */
export type Field = readonly [number: number, value: number | Buffer | string | Message];
export type Message = readonly Field[];

/** A gRPC frame with the message, encoded in one piece: an answer made of a dozen small buffers costs more than all the rest of it. */
export function framed(message: Message): Buffer {
  const length = sizeOf(message);
  const bytes = Buffer.allocUnsafe(FRAME_PREFIX + length);
  bytes[0] = 0; // not compressed
  bytes.writeUInt32BE(length, 1);
  writeMessage(bytes, FRAME_PREFIX, message);
  return bytes;
}

function sizeOf(message: Message): number {
  let size = 0;
  for (const [number, value] of message) {
    const tag = varintSize(number << 3);
    if (typeof value === "number") size += tag + varintSize(value);
    else {
      const length = lengthOf(value);
      size += tag + varintSize(length) + length;
    }
  }
  return size;
}

function lengthOf(value: Buffer | string | Message): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return Buffer.isBuffer(value) ? value.length : sizeOf(value);
}

function writeMessage(target: Buffer, offset: number, message: Message): number {
  let at = offset;
  for (const [number, value] of message) {
    if (typeof value === "number") {
      at = writeVarint(target, writeVarint(target, at, number << 3), value);
      continue;
    }
    at = writeVarint(target, writeVarint(target, at, (number << 3) | 2), lengthOf(value));
    if (typeof value === "string") at += target.write(value, at);
    else if (Buffer.isBuffer(value)) at += value.copy(target, at);
    else at = writeMessage(target, at, value);
  }
  return at;
}
