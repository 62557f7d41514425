// src/embedded/eventstore/log keeps the events on LMDB: what may be appended, in which order, and how readers find it.
import type { EventFilter } from "../protocol/filters.js";
import { failedRead } from "../protocol/grpcErrors.js";
import { endOf, partOf } from "./blocks.js";
import { backwards, type CheckpointAfter, runsOf, type Step } from "./pages.js";
import type { Storage } from "./storage.js";

/** `from` is included, `until` is not: the end of a block. */
export function* allForwards(
  storage: Storage,
  { from, until = Number.MAX_VALUE }: { from: number; until?: number },
  filter?: EventFilter,
  checkpointAfter?: CheckpointAfter,
): Generator<Step> {
  for (const block of storage.blocksFrom(from)) {
    if (block.position >= until) return;
    const part = partOf(block, (position) => position >= from);
    yield { runs: runsOf(part, filter, checkpointAfter), next: endOf(block) };
  }
}

export function* allBackwards(storage: Storage, before: number, filter?: EventFilter): Generator<Step> {
  for (const block of storage.blocksBefore(before)) {
    const part = partOf(block, (position) => position < before);
    yield { runs: backwards(runsOf(part, filter)), next: block.position };
  }
}

/**
 * Any position may be read from here, but not on the server, where one that is no event's points into the middle of a record. One that is
 * not reached yet has nothing after it; before it lies what is not written.
 */
export function refuseForeignPosition(storage: Storage, end: number, position: number, backwards: boolean): void {
  if (position === 0 || position === end || (position > end && !backwards)) return;
  for (const block of position < end ? storage.blocksFrom(position) : []) {
    if (block.position > position) return; // between two blocks: a deleted event was there
    if (partOf(block, (each) => each === position).count > 0) return;
    if (endOf(block) > position) break;
  }
  throw failedRead(`There is no event at position ${position}.`);
}
