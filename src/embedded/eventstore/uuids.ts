import { bytesField, type Cursor, eachField, readMessage, readText, WireError } from "./wire.js";

const PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => PATTERN.test(text);

const HEX = Uint8Array.from({ length: 256 }, (_, code) => Number(/[0-9a-f]/.test(String.fromCharCode(code))));
const DASH = 0x2d;

/** Whether the 36 bytes from `at` on are a UUID in lower case, as clients write it. Every event that comes in has one. */
export function isPlainUuidAt(bytes: Buffer, at: number): boolean {
  if (bytes[at + 8] !== DASH || bytes[at + 13] !== DASH || bytes[at + 18] !== DASH || bytes[at + 23] !== DASH) return false;
  let digits = 0;
  for (let index = at; index < at + 36; index++) digits += HEX[bytes[index] as number] as number;
  return digits === 32;
}

/** Reads a UUID message in either of its forms: text (the Node client), or two 64-bit halves (most others). */
export function readUuid(cursor: Cursor): string {
  let text = "";
  eachField(cursor, (field) => {
    if (field === 2) text = readText(cursor);
    else if (field === 1) text = fromHalves(cursor);
    else return false;
    return true;
  });
  if (!isUuid(text)) throw new WireError("an id is no UUID");
  return text.toLowerCase();
}

function fromHalves(outer: Cursor): string {
  const cursor = readMessage(outer);
  const halves: [bigint, bigint] = [0n, 0n];
  eachField(cursor, (field) => {
    if (field !== 1 && field !== 2) return false;
    halves[field - 1] = readVarint64(cursor);
    return true;
  });
  const hex = halves.map((half) => half.toString(16).padStart(16, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function readVarint64(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n && cursor.at < cursor.end; shift += 7n) {
    const byte = cursor.bytes[cursor.at++] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new WireError("a varint is cut short or too long");
}

/** The structured form of a UUID message's content, for clients that ask for it. */
export function structuredUuid(text: string): Buffer {
  const hex = text.replaceAll("-", "");
  const half = (field: number, digits: string): Buffer => {
    const bytes = [field << 3];
    let rest = BigInt(`0x${digits}`);
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    return Buffer.from(bytes);
  };
  return bytesField(1, half(1, hex.slice(0, 16)), half(2, hex.slice(16)));
}
