// Whole numbers as the protocol writes them: seven bits a byte, the lowest first. A double of 2^63 stands for int64's largest value.
const MAX_BYTES = 9;

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let limit = 128; value >= limit && bytes < MAX_BYTES; limit *= 128) bytes += 1;
  return bytes;
}

/** Returns where it ends. */
export function writeVarint(target: Uint8Array, from: number, value: number): number {
  if (value >= 2 ** 63) {
    target.fill(255, from, from + MAX_BYTES - 1)[from + MAX_BYTES - 1] = 127;
    return from + MAX_BYTES;
  }
  let [at, rest] = [from, value];
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 128;
  for (; rest >= 128; rest >>>= 7) target[at++] = (rest & 127) | 128;
  target[at] = rest;
  return at + 1;
}
