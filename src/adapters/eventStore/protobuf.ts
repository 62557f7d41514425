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

/** A message is written from its end to its beginning: its length is known once its content is there. It begins at `at`. */
export interface Output {
  bytes: Buffer;
  at: number;
}

export const newOutput = (bytes: Buffer): Output => ({ bytes, at: bytes.length });

const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** The message's bytes, after `before` bytes that are left free. */
export function encode(message: Message, before = 0): Buffer {
  const output = newOutput(scratch);
  prependMessage(output, message);
  const bytes = Buffer.allocUnsafe(before + output.bytes.length - output.at);
  bytes.set(output.bytes.subarray(output.at), before);
  return bytes;
}

export function prependMessage(output: Output, message: Message): void {
  for (let index = message.length - 1; index >= 0; index--) {
    const field = (message[index] as Field)[0];
    const value = (message[index] as Field)[1];
    if (typeof value === "number" || typeof value === "bigint") prependNumber(output, field, value);
    else {
      const end = distanceFromEnd(output);
      if (typeof value === "string") prependText(output, value);
      else if (isMessage(value)) prependMessage(output, value);
      else prependBytes(output, value);
      prependHead(output, field, end);
    }
  }
}

const isMessage = (value: Uint8Array | Message): value is Message => Array.isArray(value);

/** How much is written. It stays when the output gets a larger buffer, while `at` does not. */
export const distanceFromEnd = ({ bytes, at }: Output): number => bytes.length - at;

/** Moves what is written to the end of a larger buffer, unless so many bytes more fit before it. */
function makeRoom(output: Output, length: number): void {
  if (output.at >= length) return;
  const larger = Buffer.allocUnsafeSlow(2 * output.bytes.length + length);
  const at = larger.length - distanceFromEnd(output);
  larger.set(output.bytes.subarray(output.at), at);
  output.bytes = larger;
  output.at = at;
}

/** Bytes as they are, without a field's number and length. */
export function prependBytes(output: Output, bytes: Uint8Array): void {
  makeRoom(output, bytes.length);
  output.at -= bytes.length;
  output.bytes.set(bytes, output.at);
}

export function prependText(output: Output, text: string): void {
  const length = Buffer.byteLength(text);
  makeRoom(output, length);
  output.at -= length;
  output.bytes.write(text, output.at);
}

/** Before the content of a field: its number, and the length of what was written since `end` (a distance from the end). */
export function prependHead(output: Output, field: number, end: number): void {
  prependVarint(output, distanceFromEnd(output) - end);
  prependVarint(output, (field << 3) | 2);
}

/** A zero is written too: inside a oneof it says which member is set. */
export function prependNumber(output: Output, field: number, value: number | bigint): void {
  prependVarint(output, value);
  prependVarint(output, field << 3);
}

const MAX_VARINT = 10;

function prependVarint(output: Output, value: number | bigint): void {
  makeRoom(output, MAX_VARINT);
  if (typeof value === "bigint") prependBigVarint(output, value);
  else if (value >= MAX_INT64) prependBigVarint(output, INT64_MAX);
  else if (value < 128) output.bytes[--output.at] = value;
  else prependLongVarint(output, value);
}

function prependLongVarint(output: Output, value: number): void {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  output.at -= size;
  let rest = value;
  for (let at = output.at; at < output.at + size - 1; at++) {
    output.bytes[at] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  output.bytes[output.at + size - 1] = rest;
}

function prependBigVarint(output: Output, value: bigint): void {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  output.at -= bytes.length;
  output.bytes.set(bytes, output.at);
}

export type Reader = protobuf.Reader;

/** Reads a field's content; `before` is what the property holds so far. */
type FieldReader<Value> = (reader: Reader, before: Value) => Value;

/** By field number, the property that a field goes to and how it is read. Other fields are skipped. */
type Fields<Into> = {
  readonly [field: number]: { [Key in keyof Into]-?: readonly [Key, FieldReader<Into[Key]>] }[keyof Into];
};

/** Reads a message that stands by itself; `empty` makes what its fields are put in. */
export function wholeMessage<Into extends object>(empty: () => Into, fields: Fields<NoInfer<Into>>): (bytes: Buffer) => Into {
  return (bytes) => reading(bytes, (reader) => readFields(reader, reader.len, fields, empty()));
}

/** Reads a message within the message. */
export function message<Into extends object>(empty: () => Into, fields: Fields<NoInfer<Into>>): (reader: Reader) => Into {
  return (reader) => {
    const end = reader.uint32() + reader.pos;
    return readFields(reader, end, fields, empty());
  };
}

/** For a field that may come more than once. */
export const repeated =
  <Value>(read: (reader: Reader) => Value) =>
  (reader: Reader, before: Value[]): Value[] => {
    before.push(read(reader));
    return before;
  };

/** Reads the bytes. What protobufjs throws for what it cannot read, RangeErrors and plain Errors, becomes a MalformedMessage. */
export function reading<Result>(bytes: Buffer, read: (reader: Reader) => Result, from = 0, to = bytes.length): Result {
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

/** Above 2^53 the nearest double: good enough to compare, and MAX_INT64 comes out as itself. */
export function readNumber(reader: Reader): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < MAX_VARINT && reader.pos < reader.len; count++) {
    const byte = reader.buf[reader.pos++] as number;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
    scale *= 128;
  }
  throw new MalformedMessage("a number is cut short");
}

export function readBigInt(reader: Reader): bigint {
  const from = reader.pos;
  const number = readNumber(reader);
  if (number <= Number.MAX_SAFE_INTEGER) return BigInt(number);
  reader.pos = from;
  const { low, high } = reader.uint64();
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

export const readFlag = (reader: Reader): boolean => readNumber(reader) === 1;

/** The bytes of a field, as a view on the message. */
export const readBytes = (reader: Reader): Buffer => reader.bytes() as Buffer;

/** Where a field's content is. */
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
