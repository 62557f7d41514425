// Lists for files of a million rows, which take little memory.
import { hash } from "node:crypto";
import { limits, shortenToBytes } from "../imports/limits.js";

/** A list that takes four or eight bytes for each number: objects for a million rows would not fit into memory. */
export type NumberList = ReturnType<typeof growingList>;

const blockBits = 14;
const blockSize = 1 << blockBits;

export const createInt32List = (): NumberList => growingList(() => new Int32Array(blockSize));

export const createDoubleList = (): NumberList => growingList(() => new Float64Array(blockSize));

/** Grows by blocks, so that growing copies nothing and leaves at most one block unused. */
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

/** A list of texts, kept as bytes outside of the heap: strings for a million shipments would fill the heap. */
export function createTextList() {
  const blocks: Buffer[] = [];
  const [block, start, end] = [createInt32List(), createInt32List(), createInt32List()];
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

/** A short text that is equal for equal texts only: an identifier as it is, and a longer text as its beginning and its SHA-256. */
export const comparableText = (text: string): string =>
  text.length <= limits.identifierLength ? text : `${text.slice(0, limits.identifierLength)}${hash("sha256", JSON.stringify(text), "hex")}`;

/** Copies a text: a file's cell may be a slice of the text around it, which would stay in memory with it. */
export const detachedCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

/** Numbers distinct texts from 1. When it holds `maxTexts`, a new text has the number 0. */
export function createTextNumbers(maxTexts: number) {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    texts,
    numberOf(text: string): number {
      const known = numbers.get(text);
      if (known !== undefined || texts.length >= maxTexts) return known ?? 0;
      const copy = detachedCopy(text);
      numbers.set(copy, texts.push(copy));
      return texts.length;
    },
  };
}

/** Numbers distinct reasons and keeps at most `maxReasons`: a file in which every row has another reason must not fill the memory. */
export function createReasonList(maxReasons: number = limits.keptReasons) {
  const reasons = createTextNumbers(maxReasons);
  return {
    /** The reason's number, from 1. Undefined for a new reason when the list is full. */
    numberOf: (reason: string): number | undefined => reasons.numberOf(shortenToBytes(reason, limits.reasonBytes)) || undefined,
    get: (number: number): string => reasons.texts[number - 1] ?? "",
  };
}
