import { MAX_INT64 } from "../../../adapters/eventStore/protobuf.js";
import { allForwards, eachFrame, refuseForeignPosition } from "../log/allReads.js";
import { type Block, endOf, frameOffsets } from "../log/blocks.js";
import type { CommitLog } from "../log/commitLog.js";
import { createPage, frameAt, type Page } from "../log/pages.js";
import type { Storage } from "../log/storage.js";
import { isMetastream, metastreamOf, streamOfMeta } from "../log/streamMetadata.js";
import { pageForwards, viewOf } from "../log/streamReads.js";
import { type EventFilter, matchesEvent, mayMatch } from "../protocol/filters.js";
import { type GrpcFailure, streamDeleted } from "../protocol/grpcErrors.js";
import type { ReadRequest } from "../protocol/readRequest.js";
import { type Checkpoints, createCheckpoints } from "./checkpoints.js";

export interface LiveMessage {
  frame: Buffer;
  /** Otherwise a checkpoint. */
  isEvent: boolean;
  /** What the subscription ends with once the message is sent. */
  last?: GrpcFailure;
}

/** What a subscriber has still to see: first by pages from the disk, then block by block as they are committed. */
export interface Feed {
  /** Undefined while there is nothing to be caught up with: a stream that is not there (yet). */
  page(): Page | undefined;
  live(block: Block): LiveMessage[];
  /** Whether the block can be the one that brings the stream into being. */
  concerns(block: Block): boolean;
}

export function openFeed(storage: Storage, log: CommitLog, request: ReadRequest, now: () => number): Feed {
  storage.refresh();
  return request.stream === undefined ? allFeed(storage, log, request) : streamFeed(storage, request.stream, request.from, now);
}

const eventMessage = (frame: Buffer): LiveMessage => ({ frame, isEvent: true });
const EMPTY_PAGE: Page = { frames: [], bytes: 0, events: 0, done: true };

function allFeed(storage: Storage, log: CommitLog, { from, filter }: ReadRequest): Feed {
  let next = afterPosition(storage, log.committedEnd(), from);
  const range = { until: Number.MAX_VALUE, limit: Number.MAX_SAFE_INTEGER };
  const checkpoints = filter && createCheckpoints(filter);
  return {
    page() {
      const page = filter && checkpoints ? search(storage, next, filter, checkpoints) : allForwards(storage, { from: next, ...range });
      next = page.next;
      return page;
    },
    live(block) {
      if (endOf(block) <= next) return [];
      const from = next;
      next = endOf(block);
      if (filter && checkpoints) return searchLive(block, from, filter, checkpoints);
      return eachFrame(block, { from, until: range.until }).map(eventMessage);
    },
    concerns: () => true,
  };
}

/** A subscriber that asks for what comes after a position beyond the end gets the next event, as on the server. */
function afterPosition(storage: Storage, end: number, from: ReadRequest["from"]): number {
  if (from === "start") return 0;
  if (from === "end") return end;
  refuseForeignPosition(storage, end, from, false);
  return Math.min(from + 1, end);
}

/** Matching events that stand together go out together; a checkpoint comes between them. */
function search(storage: Storage, from: number, filter: EventFilter, checkpoints: Checkpoints): Page & { next: number } {
  const { page, add, isFullAfterBlock } = createPage(Number.MAX_SAFE_INTEGER);
  let next = from;
  for (const block of storage.blocksFrom(from)) {
    if (endOf(block) <= from) continue;
    let [start, events] = [0, 0];
    for (const { offset, end, matches } of eachEvent(block, from, filter)) {
      if (events === 0) start = offset;
      if (matches) events += 1;
      else if (events > 0) {
        add(block.frames.subarray(start, offset), events);
        events = 0;
      }
      const checkpoint = checkpoints.searched(block.position + offset, matches);
      if (!checkpoint) continue;
      if (events > 0) add(block.frames.subarray(start, end), events);
      events = 0;
      add(checkpoint, 0);
    }
    if (events > 0) add(block.frames.subarray(start), events);
    next = endOf(block);
    if (isFullAfterBlock()) return { ...page, next, done: false };
  }
  return { ...page, next, done: true };
}

function searchLive(block: Block, from: number, filter: EventFilter, checkpoints: Checkpoints): LiveMessage[] {
  const messages: LiveMessage[] = [];
  for (const { offset, end, matches } of eachEvent(block, from, filter)) {
    if (matches) messages.push(eventMessage(block.frames.subarray(offset, end)));
    const checkpoint = checkpoints.seen(block.position + offset);
    if (checkpoint) messages.push({ frame: checkpoint, isEvent: false });
  }
  return messages;
}

function* eachEvent(block: Block, from: number, filter: EventFilter): Generator<{ offset: number; end: number; matches: boolean }> {
  const mayBe = mayMatch(filter, block);
  const offsets = frameOffsets(block);
  for (const [index, offset] of offsets.entries()) {
    if (block.position + offset < from) continue;
    yield { offset, end: offsets[index + 1] ?? block.frames.length, matches: mayBe && matchesEvent(filter, block, offset) };
  }
}

function streamFeed(storage: Storage, stream: string, from: ReadRequest["from"], now: () => number): Feed {
  let next = from === "start" || from === "end" ? 0 : from + 1;
  if (from === "end") {
    const view = viewOf(storage, stream, now());
    // The server does not read the stream for a subscription from its end, so it does not notice that nothing will come.
    if (view.kind === "deleted") return { page: () => EMPTY_PAGE, live: () => [], concerns: () => false };
    next = view.head + 1;
  }
  const related = [stream, metastreamOf(stream), ...(isMetastream(stream) ? [streamOfMeta(stream)] : [])];
  return {
    page() {
      const view = viewOf(storage, stream, now());
      if (view.kind === "deleted") throw streamDeleted(stream);
      if (view.kind === "missing") return from === "end" ? EMPTY_PAGE : undefined;
      const page = pageForwards(storage, stream, view, next, Number.MAX_SAFE_INTEGER);
      next = Math.max(next, Math.min(page.next, view.head + 1)); // events that the metadata hides in advance are still sent to live subscribers
      return page;
    },
    live(block) {
      if (block.stream !== stream) return [];
      if (block.revision >= MAX_INT64) return [{ ...eventMessage(block.frames), last: streamDeleted(stream) }]; // its tombstone
      const events = frameOffsets(block)
        .filter((_, index) => block.revision + index >= next)
        .map((offset) => eventMessage(frameAt(block, offset)));
      next = Math.max(next, block.revision + block.count);
      return events;
    },
    concerns: (block) => related.includes(block.stream),
  };
}
