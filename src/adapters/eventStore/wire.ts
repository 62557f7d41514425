// As much of the protocol buffers wire format as appends and reads need.

/** A number as a varint, bytes or a message with their length. */
export function field(number: number, value: bigint | Uint8Array): Buffer {
  if (typeof value === "bigint") return Buffer.concat([Buffer.from([number << 3]), varint(value)]);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(BigInt(value.length)), value]);
}

export const messageOf = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left > 127n) {
    bytes.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

export function varintLength(value: number): number {
  let length = 1;
  for (let left = value; left > 127; left >>>= 7) length += 1;
  return length;
}

/** Returns the place behind what it wrote. */
export function writeVarint(bytes: Buffer, at: number, value: number): number {
  let place = at;
  let left = value;
  while (left > 127) {
    bytes[place++] = (left & 127) | 128;
    left >>>= 7;
  }
  bytes[place++] = left;
  return place;
}

export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  /** How the field after `nextField` is written. */
  wireType: number;
}

export const cursorOver = (bytes: Buffer): Cursor => ({ bytes, at: 0, wireType: 0 });

/** The next field's number; what follows is read with one of the functions below. */
export function nextField(cursor: Cursor): number {
  const tag = readNumber(cursor);
  cursor.wireType = tag & 7;
  return tag >>> 3;
}

/** The place where the bytes or message that begin here end. */
export function readLength(cursor: Cursor): number {
  const length = readNumber(cursor);
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new Error("a message from the event store is cut short");
  return end;
}

function readNumber(cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined || factor > 2 ** 42) throw new Error("a message from the event store is garbled");
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
}

/** Up to seven bytes are exact as a number, which is quicker by far; the rest are exact as they come. */
export function readBig(cursor: Cursor): bigint {
  let end = cursor.at;
  while ((cursor.bytes[end] ?? 0) > 127) end += 1;
  if (end - cursor.at < 7) return BigInt(readNumber(cursor));
  let value = 0n;
  for (let place = end; place >= cursor.at; place--) value = (value << 7n) | BigInt((cursor.bytes[place] ?? 0) & 127);
  cursor.at = end + 1;
  return BigInt.asUintN(64, value);
}

export function skip(cursor: Cursor): void {
  if (cursor.wireType === 0) readBig(cursor);
  else if (cursor.wireType === 1) cursor.at += 8;
  else if (cursor.wireType === 2) cursor.at = readLength(cursor);
  else if (cursor.wireType === 5) cursor.at += 4;
  else throw new Error("a message from the event store is garbled");
}
