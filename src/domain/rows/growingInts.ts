/** A list of 32-bit integers that takes four bytes each: a file has a million rows, and an object for each would not fit. */
export interface GrowingInts {
  readonly length: number;
  push(value: number): void;
  get(index: number): number;
  set(index: number, value: number): void;
}

const blockBits = 14;
const blockSize = 1 << blockBits;

/** Grows by blocks, so that nothing is ever copied and little is ever spare. */
export function growingInts(): GrowingInts {
  const blocks: Int32Array[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === blocks.length * blockSize) blocks.push(new Int32Array(blockSize));
      length += 1;
      this.set(length - 1, value);
    },
    get: (index) => blocks[index >>> blockBits]?.[index & (blockSize - 1)] ?? 0,
    set(index, value) {
      const block = blocks[index >>> blockBits];
      if (block) block[index & (blockSize - 1)] = value;
    },
  };
}
