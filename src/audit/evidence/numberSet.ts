/** A set of small whole numbers, one bit each: 900,000 numbers take 0.1 MB. */
export interface NumberSet {
  readonly size: number;
  add(number: number): void;
}

const mostBits = 2 ** 26;

export function newNumberSet(): NumberSet {
  let bits = new Uint8Array(1024);
  let size = 0;
  const outOfRange = new Set<number>();
  return {
    get size() {
      return size + outOfRange.size;
    },
    add(number) {
      if (!Number.isInteger(number) || number < 0 || number >= mostBits) {
        outOfRange.add(number);
        return;
      }
      const index = number >> 3;
      if (index >= bits.length) {
        const larger = new Uint8Array(Math.max(bits.length * 2, index + 1));
        larger.set(bits);
        bits = larger;
      }
      const before = bits[index] ?? 0;
      const after = before | (1 << (number & 7));
      if (after !== before) size += 1;
      bits[index] = after;
    },
  };
}
