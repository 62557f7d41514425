import { allForwards, eachFrame } from "./allReads.js";
import { type Block, endOf, frameOffsets } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import type { EventFilter } from "./filters.js";
import { frame } from "./grpcCall.js";
import { streamDeleted } from "./grpcErrors.js";
import { frameAt, type Page } from "./pages.js";
import type { ReadRequest } from "./readRequest.js";
import type { Storage } from "./storage.js";
import { pageForwards, viewOf } from "./streamReads.js";
import { bytesField, MAX_INT64, varintField } from "./wire.js";

/** What a subscriber has still to see: first by pages from the disk, then block by block as they are committed. */
export interface Feed {
  page(): Page;
  live(block: Block): { events: Buffer[]; checkpoint: Buffer | undefined };
  /** Sent when it has caught up, where anything was passed over since the last one. */
  checkpoint(): Buffer | undefined;
}

export function openFeed(storage: Storage, log: CommitLog, request: ReadRequest, now: () => number): Feed {
  storage.refresh();
  return request.stream === undefined ? allFeed(log, request) : streamFeed(storage, request.stream, request.from, now);
}

function allFeed(log: CommitLog, { from, filter }: ReadRequest): Feed {
  let next = from === "start" ? 0 : from === "end" ? log.committedEnd() : from + 1;
  const checkpoints = createCheckpoints(filter);
  return {
    page() {
      const page = allForwards(log, { from: next, until: Number.MAX_VALUE, limit: Number.MAX_SAFE_INTEGER }, filter, checkpoints.after);
      next = page.next;
      return page;
    },
    live(block) {
      if (endOf(block) <= next) return { events: [], checkpoint: undefined };
      const events = eachFrame(block, { from: next, until: Number.MAX_VALUE }, filter);
      next = endOf(block);
      return { events, checkpoint: checkpoints.after(block) };
    },
    checkpoint: checkpoints.now,
  };
}

/** A filtered subscriber hears how far the search has come, so that it need not search again from its last match. */
function createCheckpoints(filter: EventFilter | undefined) {
  let passed = 0;
  let last: number | undefined;
  const message = (position: number): Buffer => frame(bytesField(3, varintField(1, position), varintField(2, position)));
  return {
    after(block: Block): Buffer | undefined {
      if (!filter) return undefined;
      passed += block.count;
      last = block.position + (frameOffsets(block).at(-1) as number);
      if (passed < filter.checkpointInterval) return undefined;
      passed %= filter.checkpointInterval;
      return message(last);
    },
    now: () => (last !== undefined && passed > 0 ? message(last) : undefined),
  };
}

function streamFeed(storage: Storage, stream: string, from: ReadRequest["from"], now: () => number): Feed {
  let next = from === "start" ? 0 : from === "end" ? afterHead(storage, stream, now()) : from + 1;
  return {
    page() {
      const view = viewOf(storage, stream, now());
      if (view.kind === "deleted") throw streamDeleted(stream);
      if (view.kind === "missing") return { frames: [], bytes: 0, events: 0, done: true };
      const page = pageForwards(storage, stream, view, next, Number.MAX_SAFE_INTEGER);
      next = Math.max(next, page.next);
      return page;
    },
    live(block) {
      if (block.stream !== stream) return { events: [], checkpoint: undefined };
      if (block.revision >= MAX_INT64) throw streamDeleted(stream);
      const events = frameOffsets(block)
        .filter((_, index) => block.revision + index >= next)
        .map((offset) => frameAt(block, offset));
      next = Math.max(next, block.revision + block.count);
      return { events, checkpoint: undefined };
    },
    checkpoint: () => undefined,
  };
}

function afterHead(storage: Storage, stream: string, now: number): number {
  const view = viewOf(storage, stream, now);
  if (view.kind === "deleted") throw streamDeleted(stream);
  return view.head + 1;
}
