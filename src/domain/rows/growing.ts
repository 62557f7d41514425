/** A list of 32-bit integers that takes four bytes each: a file has a million rows, and an object for each would not fit. */
export interface GrowingInts {
  readonly length: number;
  push(value: number): void;
  get(index: number): number;
  set(index: number, value: number): void;
}

export function growingInts(capacity = 1024): GrowingInts {
  let values = new Int32Array(capacity);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const larger = new Int32Array(length * 2);
        larger.set(values);
        values = larger;
      }
      values[length] = value;
      length += 1;
    },
    get: (index) => values[index] ?? 0,
    set(index, value) {
      values[index] = value;
    },
  };
}

/** FNV-1a with a final mix; `seed` gives independent hashes of one text. */
export function hashText(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
