// Reading is done in pages: a bounded piece of the log per turn, so that one reader neither fills the memory nor holds up other readers.

import { frameEnd } from "../protocol/frames.js";
import { type Block, frameOffsets } from "./blocks.js";

const PAGE_BYTES = 128 * 1024;
/** With a filter that hardly matches, a page ends here instead. */
const PAGE_BLOCKS = 256;

export interface Page {
  /** What goes to the reader, in order. */
  frames: Buffer[];
  bytes: number;
  events: number;
  /** Nothing more to read, now or (for a plain read) ever. */
  done: boolean;
}

export function createPage(limit: number) {
  const page: Page = { frames: [], bytes: 0, events: 0, done: false };
  let blocks = 0;
  return {
    page,
    room: () => limit - page.events,
    add(frames: Buffer, events: number): void {
      page.frames.push(frames);
      page.bytes += frames.length;
      page.events += events;
    },
    /** Counts a block as looked at; true when the page is full. */
    isFullAfterBlock(): boolean {
      blocks += 1;
      return page.bytes >= PAGE_BYTES || blocks >= PAGE_BLOCKS || page.events >= limit;
    },
  };
}

/** The frames of the events with index `from` to `to` in the block, both included. */
export function frameRange(block: Block, from: number, to: number): Buffer {
  if (from <= 0 && to >= block.count - 1) return block.frames;
  const offsets = frameOffsets(block);
  return block.frames.subarray(offsets[from], offsets[to + 1] ?? block.frames.length);
}

export const frameAt = (block: Block, offset: number): Buffer => block.frames.subarray(offset, frameEnd(block.frames, offset));
