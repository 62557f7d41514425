// Writes and reads the protocol's messages by field number, for this adapter and for the embedded event store.
import protobuf from "protobufjs/minimal.js";

/** int64's largest value, the revision of a tombstone. As a double it is 2^63; this and larger doubles are written as int64's largest. */
export const MAX_INT64 = 2 ** 63;

/** How many bytes the largest unsigned number of 64 bits takes as a varint. */
const maxVarintBytes = 10;

export function varintBytes(value: number): number {
  if (value >= MAX_INT64) return maxVarintBytes - 1;
  let bytes = 1;
  for (let limit = 128; value >= limit && bytes < maxVarintBytes; limit *= 128) bytes += 1;
  return bytes;
}

/** Writes the number at index `from`. Returns the index after it. */
export function writeVarint(target: Uint8Array, from: number, value: number): number {
  if (value >= MAX_INT64) {
    target.fill(255, from, from + 8)[from + 8] = 127;
    return from + 9;
  }
  let [at, rest] = [from, value];
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 128;
  for (; rest >= 128; rest >>>= 7) target[at++] = (rest & 127) | 128;
  target[at] = rest;
  return at + 1;
}

/** Thrown for bytes that cannot be read as the message that they should be. */
export class MalformedMessage extends Error {}

/** A field by its number: a whole number, bytes, text, or a message of its own. */
export type WireField = readonly [number: number, value: number | bigint | Uint8Array | string | Message];
export type Message = readonly WireField[];

export const encodeMessage = (message: Message): Buffer => writeMessage(protobuf.Writer.create(), message).finish() as Buffer;

/** A field of value 0 is written too: inside a oneof it says which member is set. */
function writeMessage(writer: protobuf.Writer, message: Message): protobuf.Writer {
  for (const [field, value] of message) {
    if (typeof value === "number" || typeof value === "bigint") writer.uint32(field << 3).uint64(asUint64(value));
    else {
      writer.uint32((field << 3) | 2);
      if (typeof value === "string") writer.string(value);
      else if (value instanceof Uint8Array) writer.bytes(value);
      else writeMessage(writer.fork(), value).ldelim();
    }
  }
  return writer;
}

/** A number as protobufjs takes it: in two halves if a double may not hold it exactly. */
function asUint64(value: number | bigint): Parameters<protobuf.Writer["uint64"]>[0] {
  if (Number.isSafeInteger(Number(value))) return Number(value);
  const exact = typeof value === "number" && value >= MAX_INT64 ? 2n ** 63n - 1n : BigInt(value);
  return { low: Number(exact & 0xffffffffn), high: Number(exact >> 32n), unsigned: true } as Long;
}

/** Writes the tag and length before a field's content. Returns where the content begins. */
export const writeHead = (target: Uint8Array, at: number, field: number, bytes: number): number =>
  writeVarint(target, writeVarint(target, at, (field << 3) | 2), bytes);

export type Reader = protobuf.Reader;

/** Reads a field's content; `before` is the value that the field's key has so far. */
type FieldReader<Value> = (reader: Reader, before: Value) => Value;

/** For each field number, the key that gets the field's value and the function that reads it. Other fields are skipped. */
type Fields<Into> = {
  readonly [field: number]: { [Key in keyof Into]-?: readonly [Key, FieldReader<Into[Key]>] }[keyof Into];
};

/** Creates the reader of a message from its bytes; `empty` creates the object that gets the fields. */
export function messageReader<Into extends object>(empty: () => Into, fields: Fields<NoInfer<Into>>): (bytes: Buffer) => Into {
  return (bytes) => readSafely(bytes, (reader) => readFields(reader, reader.len, fields, empty()));
}

/** Creates the reader of a message that is a field of another message. */
export function nestedReader<Into extends object>(empty: () => Into, fields: Fields<NoInfer<Into>>): (reader: Reader) => Into {
  return (reader) => {
    const end = reader.uint32() + reader.pos;
    return readFields(reader, end, fields, empty());
  };
}

/** For a field that may come more than once. */
export const repeatedField =
  <Value>(read: (reader: Reader) => Value) =>
  (reader: Reader, before: Value[]): Value[] => {
    before.push(read(reader));
    return before;
  };

/** Calls `read`. protobufjs throws RangeErrors and plain Errors for bytes that it cannot read; each becomes a MalformedMessage. */
export function readSafely<Result>(bytes: Buffer, read: (reader: Reader) => Result, from = 0, to = bytes.length): Result {
  const reader = protobuf.Reader.create(bytes);
  reader.pos = from;
  reader.len = to;
  try {
    return read(reader);
  } catch (error) {
    const isUnreadable = error instanceof RangeError || (error as Error).constructor === Error;
    throw isUnreadable ? new MalformedMessage((error as Error).message) : error;
  }
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

/** Reads a number. A number above 2^53 is read as a near double, which is good enough to compare; int64's largest is read as MAX_INT64. */
export function readInteger(reader: Reader): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < maxVarintBytes && reader.pos < reader.len; count++) {
    const byte = reader.buf[reader.pos++] as number;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
    scale *= 128;
  }
  throw new MalformedMessage("a number is cut short");
}

export function readBigInt(reader: Reader): bigint {
  const from = reader.pos;
  const number = readInteger(reader);
  if (number <= Number.MAX_SAFE_INTEGER) return BigInt(number);
  reader.pos = from;
  const { low, high } = reader.uint64();
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

export const readFlag = (reader: Reader): boolean => readInteger(reader) === 1;

/** The bytes of a field, as a view on the message. */
export const readBytes = (reader: Reader): Buffer => reader.bytes() as Buffer;

/** Where in the bytes a field's content is. */
export interface Span {
  from: number;
  to: number;
}

export function readSpan(reader: Reader): Span {
  const length = reader.uint32();
  const from = reader.pos;
  reader.skip(length);
  return { from, to: reader.pos };
}

/** Reads a text. Throws if it runs past the end of the bytes, where protobufjs would cut it. */
export function readText(reader: Reader): string {
  const length = reader.uint32();
  const from = reader.pos;
  reader.skip(length);
  return (reader.buf as Buffer).toString("utf8", from, reader.pos);
}

/** For a field that matters only by being present. */
export const whenPresent =
  <const Value>(value: Value) =>
  (reader: Reader): Value => {
    reader.skip(reader.uint32());
    return value;
  };

/** For a field that is a message: reads the text in one field of that message. */
export function nestedText(field: number): (reader: Reader) => string {
  const read = nestedReader(() => ({ text: "" }), { [field]: ["text", readText] });
  return (reader) => read(reader).text;
}

/** A message of two fields, as the protocol has it for a position, for a host and its port, and for protobuf's `Any`. */
export const pair = (first: WireField[1], second: WireField[1]): Message => [
  [1, first],
  [2, second],
];

/** A property of an event, such as its type, its content type or when it was created: a message of its own. */
export const property = (key: string, value: string): Message => pair(key, value);

/** Reads one property without a field table, which would be slower: every event of an append has several. */
export function readProperty(reader: Reader, end = reader.uint32() + reader.pos): { key: string; value: string } {
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
