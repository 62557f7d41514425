import { growingInts } from "./growingInts.js";

/** A list of texts, kept as bytes outside of the heap: a file has a million shipments, and strings for each would fill it. */
export interface GrowingTexts {
  push(text: string): void;
  get(index: number): string;
}

const blockBytes = 1024 * 1024;

export function growingTexts(): GrowingTexts {
  const blocks: Buffer[] = [];
  const [block, start, end] = [growingInts(), growingInts(), growingInts()];
  let used = 0;
  return {
    push(text) {
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
    get: (index) => blocks[block.get(index)]?.toString("utf8", start.get(index), end.get(index)) ?? "",
  };
}
