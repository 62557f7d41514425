// Messages of the protocol by field number, written and read for this adapter and for the embedded event store.
import protobuf from "protobufjs/minimal.js";

/** Thrown for bytes that are not the message they should be. */
export class MalformedMessage extends Error {}

/** int64's largest value, the revision of a tombstone. As a double it is 2^63, which only ever stands for it. */
export const MAX_INT64 = 2 ** 63;
const INT64_MAX = 2n ** 63n - 1n;

/** A field by its number: a whole number, bytes, text, or a message of its own. */
export type Field = readonly [number: number, value: number | bigint | Uint8Array | string | Message];
export type Message = readonly Field[];

/** Smaller messages are written in a buffer that is used again and again. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** The message's bytes, after `before` bytes that are left free. */
export function encode(message: Message, before = 0): Buffer {
  const most = mostBytes(message);
  const target = most <= scratch.length ? scratch : Buffer.allocUnsafe(most);
  const from = writeBack(target, target.length, message);
  const bytes = Buffer.allocUnsafe(before + target.length - from);
  target.copy(bytes, before, from);
  return bytes;
}

/** At least as many bytes as the message takes. */
function mostBytes(message: Message): number {
  let most = 0;
  for (let index = 0; index < message.length; index++) {
    const value = (message[index] as Field)[1];
    most += 20; // a tag and a number or a length
    if (typeof value === "string") most += value.length * 3;
    else if (typeof value === "object") most += isMessage(value) ? mostBytes(value) : value.length;
  }
  return most;
}

const isMessage = (value: Uint8Array | Message): value is Message => Array.isArray(value);

/** Written from the end to the beginning: the length of a message is known once its content is there. Returns where it begins. */
function writeBack(target: Buffer, end: number, message: Message): number {
  let at = end;
  for (let index = message.length - 1; index >= 0; index--) {
    const field = message[index] as Field;
    const value = field[1];
    const tag = field[0] << 3;
    if (typeof value === "number" || typeof value === "bigint") at = writeVarint(target, writeVarint(target, at, value), tag);
    else {
      const contentEnd = at;
      at = writeContent(target, at, value);
      at = writeVarint(target, writeVarint(target, at, contentEnd - at), tag | 2);
    }
  }
  return at;
}

function writeContent(target: Buffer, end: number, value: string | Uint8Array | Message): number {
  if (typeof value === "string") return end - target.write(value, end - Buffer.byteLength(value));
  if (isMessage(value)) return writeBack(target, end, value);
  target.set(value, end - value.length);
  return end - value.length;
}

/** A zero is written too: inside a oneof it says which member is set. */
function writeVarint(target: Buffer, end: number, value: number | bigint): number {
  if (typeof value === "bigint" || value >= MAX_INT64) return writeBigVarint(target, end, typeof value === "bigint" ? value : INT64_MAX);
  if (value < 128) {
    target[end - 1] = value;
    return end - 1;
  }
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  let rest = value;
  for (let at = end - size; at < end; at++) {
    target[at] = at < end - 1 ? (rest % 128) | 128 : rest;
    rest = Math.floor(rest / 128);
  }
  return end - size;
}

function writeBigVarint(target: Buffer, end: number, value: bigint): number {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  target.set(bytes, end - bytes.length);
  return end - bytes.length;
}

export type Reader = protobuf.Reader;

/** Reads a field's content; `before` is what the property holds so far. */
type FieldReader<Value> = (reader: Reader, before: Value) => Value;

/** By field number, the property that a field goes to and how it is read. Other fields are skipped. */
export type Fields<Into> = {
  readonly [field: number]: { [Key in keyof Into]: readonly [Key, FieldReader<Into[Key]>] }[keyof Into];
};

/** Reads a whole message into the object. */
export function decode<Into extends object>(bytes: Buffer, fields: Fields<Into>, into: Into): Into {
  const reader = protobuf.Reader.create(bytes);
  try {
    return readFields(reader, reader.len, fields, into);
  } catch (error) {
    // protobufjs throws RangeErrors and plain Errors for what it cannot read
    const isUnreadable = error instanceof RangeError || (error as Error).constructor === Error;
    throw isUnreadable ? new MalformedMessage((error as Error).message) : error;
  }
}

/** Reads the message in the field that the reader stands at. */
export function decodeInner<Into extends object>(reader: Reader, fields: Fields<Into>, into: Into): Into {
  const length = reader.uint32();
  return readFields(reader, reader.pos + length, fields, into);
}

function readFields<Into extends object>(reader: Reader, end: number, fields: Fields<Into>, into: Into): Into {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields[tag >>> 3];
    if (!field) reader.skipType(tag & 7);
    else into[field[0]] = field[1](reader, into[field[0]]);
  }
  if (reader.pos !== end) throw new MalformedMessage("a field is longer than its message");
  return into;
}

/** protobufjs takes a number that is cut short after four bytes for a whole one; this throws. */
function readUint64(reader: Reader): { low: number; high: number } {
  const { low, high } = reader.uint64();
  if ((reader.buf[reader.pos - 1] ?? 128) >= 128) throw new MalformedMessage("a number is cut short");
  return { low: low >>> 0, high: high >>> 0 };
}

/** Above 2^53 the nearest double: good enough to compare, and MAX_INT64 comes out as itself. */
export function readNumber(reader: Reader): number {
  const { low, high } = readUint64(reader);
  return high * 2 ** 32 + low;
}

export function readBigInt(reader: Reader): bigint {
  const { low, high } = readUint64(reader);
  return high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
}

export const readFlag = (reader: Reader): boolean => readNumber(reader) === 1;

/** The bytes of a field, as a view on the message. */
export const readBytes = (reader: Reader): Buffer => reader.bytes() as Buffer;

/** protobufjs would cut a text that runs past the end of the bytes; this throws. */
export function readText(reader: Reader): string {
  const length = reader.uint32();
  const from = reader.pos;
  reader.skip(length);
  return (reader.buf as Buffer).toString("utf8", from, reader.pos);
}

/** For a field whose presence is all it says. */
export const present =
  <const Value>(value: Value) =>
  (reader: Reader): Value => {
    reader.skip(reader.uint32());
    return value;
  };

/** Reads a message within the message. */
export const message =
  <Into extends object>(fields: Fields<Into>, empty: () => Into) =>
  (reader: Reader): Into =>
    decodeInner(reader, fields, empty());

/** Reads the text in one field of a message within the message. */
export function textIn(field: number): (reader: Reader) => string {
  const wanted = (field << 3) | 2;
  return (reader) => {
    const length = reader.uint32();
    const end = reader.pos + length;
    let text = "";
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === wanted) text = readText(reader);
      else reader.skipType(tag & 7);
    }
    if (reader.pos !== end) throw new MalformedMessage("a field is longer than its message");
    return text;
  };
}
