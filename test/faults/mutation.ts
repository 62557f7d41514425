import type { Randomness } from "./randomness.js";

/** Bytes that mean something to parsers. Half of the new bytes are from here, the others are random. */
const telling = Buffer.from('\0\t\r\n "%&,./0:;<=>?@[\\]{}\x7f\x80\xc3\xed\xff', "latin1");

/** Makes up to four changes: a byte replaced or inserted, some bytes removed or repeated, or the rest cut off. */
export function mutated(content: Uint8Array, random: Randomness): Buffer {
  let bytes = Buffer.from(content);
  for (let left = 1 + random.number(4); left > 0; left -= 1) {
    const at = random.number(bytes.length + 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const byte = Buffer.of(random.chance(0.5) ? (telling[random.number(telling.length)] ?? 0) : random.number(256));
    switch (random.pick(["replace", "replace", "insert", "remove", "repeat", "cut"] as const)) {
      case "replace":
        bytes = Buffer.concat([before, byte, after.subarray(1)]);
        break;
      case "insert":
        bytes = Buffer.concat([before, byte, after]);
        break;
      case "remove":
        bytes = Buffer.concat([before, after.subarray(1 + random.number(8))]);
        break;
      case "repeat":
        bytes = Buffer.concat([before, after.subarray(0, 1 + random.number(16)), after]);
        break;
      case "cut":
        if (random.chance(0.3)) bytes = Buffer.from(before);
        break;
    }
  }
  return bytes;
}
