// An event's properties, one message each: its type, its content type, when it was created.
import { MalformedMessage, type Message, type Reader, readText } from "./protobuf.js";

export const property = (key: string, value: string): Message => [
  [1, key],
  [2, value],
];

/** Reads one property without a field table, which would be slower: every event of an append has several. */
export function readProperty(reader: Reader): { key: string; value: string } {
  const end = reader.uint32() + reader.pos;
  return readPropertyUpTo(reader, end);
}

/** Reads one property, from the beginning of its fields up to `end`. */
export function readPropertyUpTo(reader: Reader, end: number): { key: string; value: string } {
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
