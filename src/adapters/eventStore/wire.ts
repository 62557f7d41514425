// As much of the protocol buffers wire format as the batch request needs.

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
