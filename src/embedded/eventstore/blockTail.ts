import { type Block, endOf } from "./blocks.js";

/** A reader that follows an import stays within it: what it reads costs no look at the disk, and maps none of it into memory. */
const TAIL_BYTES = 32 * 1024 * 1024;

/** The latest blocks of the log, as they were committed. */
export function createBlockTail(mostBytes = TAIL_BYTES) {
  const blocks: (Block | undefined)[] = [];
  /** Index of the oldest one. The empty places before it are taken out many at a time, since each time moves all the others. */
  let oldest = 0;
  let bytes = 0;

  function dropOldest(): void {
    bytes -= (blocks[oldest] as Block).bytes.length;
    blocks[oldest] = undefined;
    oldest += 1;
    if (oldest < 1_000 || oldest < blocks.length / 8) return;
    blocks.splice(0, oldest);
    oldest = 0;
  }

  /** Index of the last block that begins at or before the position. */
  function indexOf(position: number): number {
    let low = oldest;
    let high = blocks.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((blocks[middle] as Block).position <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  return {
    add(block: Block): void {
      blocks.push(block);
      bytes += block.bytes.length;
      while (bytes > mostBytes) dropOldest();
    },

    /** From the block that holds the position on; undefined when that one is not among them. */
    from(position: number): Iterable<Block> | undefined {
      const [first, last] = [blocks[oldest], blocks.at(-1)];
      if (!first || !last || position < first.position) return undefined;
      return position >= endOf(last) ? [] : (blocks.slice(indexOf(position)) as Block[]);
    },
  };
}
