// What is held of a file of a million rows, in little memory.
import { hash } from "node:crypto";
import { limits, shortened } from "../imports/limits.js";

/** A list of numbers that takes four or eight bytes each: a file has a million rows, and an object for each would not fit. */
export type IntList = ReturnType<typeof growingList>;

const blockBits = 14;
const blockSize = 1 << blockBits;

/** Of 32-bit integers. */
export const createIntList = (): IntList => growingList(() => new Int32Array(blockSize));

export const createDoubleList = (): IntList => growingList(() => new Float64Array(blockSize));

/** Grows by blocks, so that nothing is ever copied and little is ever spare. */
function growingList(newBlock: () => Int32Array | Float64Array) {
  const blocks: (Int32Array | Float64Array)[] = [];
  let length = 0;
  const set = (index: number, value: number): void => {
    const block = blocks[index >>> blockBits];
    if (block) block[index & (blockSize - 1)] = value;
  };
  return {
    get length() {
      return length;
    },
    push(value: number): void {
      if (length === blocks.length * blockSize) blocks.push(newBlock());
      length += 1;
      set(length - 1, value);
    },
    get: (index: number): number => blocks[index >>> blockBits]?.[index & (blockSize - 1)] ?? 0,
    set,
  };
}

const blockBytes = 1024 * 1024;

/** A list of texts, kept as bytes outside of the heap: a file has a million shipments, and strings for each would fill it. */
export function createTextList() {
  const blocks: Buffer[] = [];
  const [block, start, end] = [createIntList(), createIntList(), createIntList()];
  let used = 0;
  return {
    push(text: string): void {
      const bytes = Buffer.byteLength(text);
      if (used + bytes > (blocks.at(-1)?.length ?? 0)) {
        blocks.push(Buffer.allocUnsafe(Math.max(blockBytes, bytes)));
        used = 0;
      }
      block.push(blocks.length - 1);
      start.push(used);
      used += blocks.at(-1)?.write(text, used) ?? 0;
      end.push(used);
    },
    get: (index: number): string => blocks[block.get(index)]?.toString("utf8", start.get(index), end.get(index)) ?? "",
  };
}

/** Equal for equal texts only: every identifier as it is, and of a longer text its beginning and its SHA-256, so that it takes little memory. */
export const comparableText = (text: string): string =>
  text.length <= limits.identifierLength ? text : `${text.slice(0, limits.identifierLength)}${hash("sha256", JSON.stringify(text), "hex")}`;

/** A cell of a file may be a slice of the text around it, which would stay in memory with it. */
export const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Numbers texts from 1, and keeps each once; a new one has the number 0 when `most` are kept. */
export function createTextNumbers(most: number) {
  const numbers = new Map<string, number>();
  const all: string[] = [];
  return {
    all,
    of(text: string): number {
      const known = numbers.get(text);
      if (known !== undefined || all.length >= most) return known ?? 0;
      const own = copyOf(text);
      numbers.set(own, all.push(own));
      return all.length;
    },
  };
}

/** Reasons are few and rows are many, so each is kept once. A file in which every row has another reason must not fill the memory. */
export function createReasonList(most: number = limits.keptReasons) {
  const reasons = createTextNumbers(most);
  return {
    /** From 1; undefined for a new reason when `most` reasons are kept. */
    numberOf: (whole: string): number | undefined => reasons.of(shortened(whole, limits.reasonBytes)) || undefined,
    get: (number: number): string => reasons.all[number - 1] ?? "",
  };
}
