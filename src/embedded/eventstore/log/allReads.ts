// src/embedded/eventstore/log keeps the events on LMDB: what may be appended, in which order, and how readers find it.
import { type EventFilter, matchesEvent, mayMatch } from "../protocol/filters.js";
import { failedRead } from "../protocol/grpcErrors.js";
import { type Block, endOf, frameOffsets } from "./blocks.js";
import { createPage, frameAt, type Page } from "./pages.js";
import type { Storage } from "./storage.js";

export interface AllPage extends Page {
  /** The position to go on from: included when reading forwards, excluded backwards. */
  next: number;
}

interface Range {
  from: number;
  /** Excluded. */
  until: number;
}

/** The block's frames within the range that match, each by itself. */
export function eachFrame(block: Block, range: Range, filter?: EventFilter): Buffer[] {
  if (!mayMatch(filter, block)) return [];
  return frameOffsets(block)
    .filter((offset) => block.position + offset >= range.from && block.position + offset < range.until)
    .filter((offset) => matchesEvent(filter, block, offset))
    .map((offset) => frameAt(block, offset));
}

const isWhole = (block: Block, range: Range, filter?: EventFilter): boolean =>
  block.position >= range.from && endOf(block) <= range.until && filter?.on !== "type" && mayMatch(filter, block);

export function allForwards(storage: Storage, range: Range & { limit: number }, filter?: EventFilter): AllPage {
  const { page, room, add, isFullAfterBlock } = createPage(range.limit);
  let next = range.from;
  let exhausted = true;
  for (const block of storage.blocksFrom(range.from)) {
    if (block.position >= range.until) break;
    if (endOf(block) <= range.from) continue;
    if (block.count <= room() && isWhole(block, range, filter)) add(block.frames, block.count);
    else for (const frame of eachFrame(block, range, filter).slice(0, room())) add(frame, 1);
    next = endOf(block);
    if (!isFullAfterBlock()) continue;
    exhausted = false;
    break;
  }
  return { ...page, next, done: exhausted || page.events >= range.limit };
}

export function allBackwards(storage: Storage, before: number, limit: number, filter?: EventFilter): AllPage {
  const { page, room, add, isFullAfterBlock } = createPage(limit);
  let next = before;
  let exhausted = true;
  for (const block of storage.blocksBefore(before)) {
    const frames = eachFrame(block, { from: 0, until: before }, filter);
    for (const frame of frames.reverse().slice(0, room())) add(frame, 1);
    next = block.position;
    if (!isFullAfterBlock()) continue;
    exhausted = false;
    break;
  }
  return { ...page, next, done: exhausted || page.events >= limit };
}

/**
 * Any position may be read from here, but not on the server, where one that is no event's points into the middle of a record. One that is
 * not reached yet has nothing after it; before it lies what is not written.
 */
export function refuseForeignPosition(storage: Storage, end: number, position: number, backwards: boolean): void {
  if (position === 0 || position === end || (position > end && !backwards)) return;
  for (const block of position < end ? storage.blocksFrom(position) : []) {
    if (block.position > position) return; // between two blocks: a deleted event was there
    if (endOf(block) > position && frameOffsets(block).includes(position - block.position)) return;
    if (endOf(block) > position) break;
  }
  throw failedRead(`There is no event at position ${position}.`);
}
