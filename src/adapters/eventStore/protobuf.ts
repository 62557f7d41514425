// Messages of the protocol by field number, for this adapter and for the embedded event store. `protobufjs` reads and writes the bytes.
import protobuf from "protobufjs/minimal.js";

/** Thrown for bytes that are not the message they should be. */
export class MalformedMessage extends Error {}

/** int64's largest value, the revision of a tombstone. As a double it is 2^63, which only ever stands for it. */
export const MAX_INT64 = 2 ** 63;

/** A field by its number: a whole number, bytes, text, or a message of its own. */
export type Field = readonly [number: number, value: number | bigint | Uint8Array | string | Message];
export type Message = readonly Field[];

export const encode = (message: Message): Buffer => bufferOf(write(protobuf.Writer.create(), message));

/** Undefined when the message is longer than `mostBytes`; nothing is allocated for it then. */
export function encodeUpTo(mostBytes: number, message: Message): Buffer | undefined {
  const writer = write(protobuf.Writer.create(), message);
  return writer.len > mostBytes ? undefined : bufferOf(writer);
}

const bufferOf = (writer: protobuf.Writer): Buffer => writer.finish() as Buffer;

/** A zero is written too: inside a oneof it says which member is set. */
function write(writer: protobuf.Writer, message: Message): protobuf.Writer {
  for (const [number, value] of message) {
    const tag = number << 3;
    if (typeof value === "number") writeNumber(writer.uint32(tag), value);
    else if (typeof value === "bigint") writer.uint32(tag).uint64(String(value));
    else if (typeof value === "string") writer.uint32(tag | 2).string(value.isWellFormed() ? value : value.toWellFormed());
    else if (value instanceof Uint8Array) writer.uint32(tag | 2).bytes(value);
    else write(writer.uint32(tag | 2).fork(), value).ldelim();
  }
  return writer;
}

function writeNumber(writer: protobuf.Writer, value: number): void {
  if (value < 2 ** 32) writer.uint32(value);
  else writer.uint64(value >= MAX_INT64 ? "9223372036854775807" : value);
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
