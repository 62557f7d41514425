// Protocol buffers, as far as the EventStoreDB protocol needs them: varints and length-delimited fields.

/** Thrown for bytes that are no protobuf message; the caller answers INVALID_ARGUMENT. */
export class WireError extends Error {}

export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
}

/** int64's largest value, the revision of a tombstone. As a double it is 2^63, which only ever stands for it. */
export const MAX_INT64 = 2 ** 63;
const MAX_INT64_BYTES = Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 127]);

export const cursorOver = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });

/** Above 2^53 the result is the nearest double: good enough to compare, and MAX_INT64 comes out as itself. */
export function readVarint(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10 && cursor.at < cursor.end; count++) {
    const byte = cursor.bytes[cursor.at++] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
  throw new WireError("a varint is cut short or too long");
}

/** Goes past a length-delimited field, and says where its content began. */
function passField(cursor: Cursor): number {
  const length = readVarint(cursor);
  const from = cursor.at;
  if (from + length > cursor.end) throw new WireError("a field is longer than its message");
  cursor.at = from + length;
  return from;
}

/** The bytes of a length-delimited field, as a view on the message. */
export function readBytes(cursor: Cursor): Buffer {
  const from = passField(cursor);
  return cursor.bytes.subarray(from, cursor.at);
}

export function readText(cursor: Cursor): string {
  const from = passField(cursor);
  return cursor.bytes.toString("utf8", from, cursor.at);
}

/** A message within the message, to be read where it lies: a view for each would cost more than reading it. */
export function readMessage(cursor: Cursor): Cursor {
  const from = passField(cursor);
  return { bytes: cursor.bytes, at: from, end: cursor.at };
}

/** What has not been read yet. */
export const restOf = ({ bytes, at, end }: Cursor): Buffer => bytes.subarray(at, end);

function skipField(cursor: Cursor, tag: number): void {
  switch (tag & 7) {
    case 0:
      readVarint(cursor);
      return;
    case 1:
      cursor.at += 8;
      break;
    case 2:
      passField(cursor);
      return;
    case 5:
      cursor.at += 4;
      break;
    default:
      throw new WireError(`wire type ${tag & 7} is not in use`);
  }
  if (cursor.at > cursor.end) throw new WireError("a field is longer than its message");
}

/** Calls `visit` with each field's number; what it does not consume (returns false) is skipped. */
export function eachField(cursor: Cursor, visit: (field: number) => boolean): void {
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (!visit(tag >>> 3)) skipField(cursor, tag);
  }
}

export function varintSize(value: number): number {
  if (value >= MAX_INT64) return MAX_INT64_BYTES.length;
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}

/** Returns the offset after the written bytes. */
export function writeVarint(target: Buffer, offset: number, value: number): number {
  if (value >= MAX_INT64) return offset + MAX_INT64_BYTES.copy(target, offset);
  let at = offset;
  let rest = value;
  while (rest >= 128) {
    target[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  target[at++] = rest;
  return at;
}

/** A varint field. A zero is written too: inside a oneof it says which member is set. */
export function varintField(field: number, value: number): Buffer {
  const tag = field << 3;
  const bytes = Buffer.allocUnsafe(varintSize(tag) + varintSize(value));
  writeVarint(bytes, writeVarint(bytes, 0, tag), value);
  return bytes;
}

export function bytesField(field: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.allocUnsafe(varintSize(field << 3) + varintSize(length));
  writeVarint(head, writeVarint(head, 0, (field << 3) | 2), length);
  return Buffer.concat([head, ...parts]);
}

export const textField = (field: number, text: string): Buffer => bytesField(field, Buffer.from(text, "utf8"));
export const emptyField = (field: number): Buffer => bytesField(field);
