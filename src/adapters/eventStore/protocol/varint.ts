// Whole numbers as the protocol writes them: seven bits a byte, the lowest first.

/** int64's largest value, the revision of a tombstone. As a double it is 2^63; this double and all larger ones are written as that value. */
export const MAX_INT64 = 2 ** 63;
const INT64_MAX = 2n ** 63n - 1n;

/** How many bytes the largest unsigned number of 64 bits takes. */
export const mostVarintBytes = 10;

export function varintBytes(value: number | bigint): number {
  if (typeof value === "number" && value >= MAX_INT64) return mostVarintBytes - 1;
  let bytes = 1;
  for (let limit = 128; value >= limit && bytes < mostVarintBytes; limit *= 128) bytes += 1;
  return bytes;
}

/** Returns where it ends. */
export function writeVarint(target: Uint8Array, from: number, value: number | bigint): number {
  if (typeof value === "bigint" || value >= MAX_INT64) return writeExactly(target, from, typeof value === "bigint" ? value : INT64_MAX);
  let [at, rest] = [from, value];
  for (; rest >= 2 ** 31; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 128;
  for (; rest >= 128; rest >>>= 7) target[at++] = (rest & 127) | 128;
  target[at] = rest;
  return at + 1;
}

function writeExactly(target: Uint8Array, from: number, value: bigint): number {
  let [at, rest] = [from, value];
  for (; rest > 127n; rest >>= 7n) target[at++] = Number(rest & 127n) | 128;
  target[at] = Number(rest);
  return at + 1;
}
