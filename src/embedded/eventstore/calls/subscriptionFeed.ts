import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { type Block, endOf, partOf } from "../log/blocks.js";
import type { CommitLog } from "../log/commitLog.js";
import {
  allForwards,
  type EventRun,
  type ReadPage,
  readPage,
  refusePositionWithoutEvent,
  runsOf,
  streamForwards,
  viewOf,
} from "../log/reads.js";
import type { Storage } from "../log/storage.js";
import { positionMessage } from "../protocol/appendReplies.js";
import { frameOf, streamDeleted } from "../protocol/grpc.js";
import type { EventFilter, ReadRequest } from "../protocol/parseRequest.js";

/** EventStoreDB ends a page after this many matching events, even if it has not searched the whole window. */
const PAGE_EVENTS = 32;

/**
 * Checkpoints tell a filtered subscriber how far the search has come, so that after a reconnect it need not search again from its last match.
 * They are counted as on EventStoreDB. While the subscriber catches up, they are counted after whole pages, and never after the last page,
 * which ends at the end of the log. Once the subscriber is live, they are counted after each event.
 */
export function createCheckpoints({ window, checkpointInterval }: EventFilter) {
  let counted = 0;
  let inPage = 0;
  let matchesInPage = 0;
  let reached = 0;

  return {
    /** Called for each event that is looked at while catching up. Returns the checkpoint to send after it, if any. */
    searched(at: number, matches: boolean): Buffer | undefined {
      if (matches || inPage === 0) reached = at; // the checkpoint of a page without a match is at the page's first event
      inPage += 1;
      if (matches) matchesInPage += 1;
      if (inPage < window && matchesInPage < PAGE_EVENTS) return undefined;
      counted += inPage;
      inPage = 0;
      matchesInPage = 0;
      if (counted < checkpointInterval) return undefined;
      counted %= checkpointInterval;
      return checkpointAt(reached);
    },

    /** An event was committed while live. */
    seen(at: number): Buffer | undefined {
      counted += inPage + 1;
      inPage = 0;
      if (counted < checkpointInterval) return undefined;
      counted = 0;
      return checkpointAt(at);
    },
  };
}

const checkpointAt = (reached: number): Buffer => frameOf([[3, positionMessage(reached)]]);

export type SubscriptionFeed = ReturnType<typeof openSubscriptionFeed>;

/** The events that a subscriber has yet to get: first in pages from the disk, then block by block as they are committed. */
export function openSubscriptionFeed(storage: Storage, log: CommitLog, request: ReadRequest) {
  storage.refresh();
  return request.stream === undefined ? allFeed(storage, log, request) : streamFeed(storage, request.stream, request.from);
}

function allFeed(storage: Storage, log: CommitLog, { from, filter }: ReadRequest) {
  let next = afterPosition(storage, log.committedEnd(), from);
  const checkpoints = filter && createCheckpoints(filter);
  return {
    page() {
      const page = readPage(allForwards(storage, { from: next }, filter, checkpoints?.searched), next);
      next = page.next;
      return page;
    },
    live(block: Block): Iterable<EventRun> {
      const unseen = block.position >= next ? block : partOf(block, (position) => position >= next);
      next = Math.max(next, endOf(block));
      return runsOf(unseen, filter, checkpoints?.seen);
    },
  };
}

/** A subscriber that asks for the events after a position beyond the end gets the next event, as on EventStoreDB. */
function afterPosition(storage: Storage, end: number, from: ReadRequest["from"]): number {
  if (from === "start") return 0;
  if (from === "end") return end;
  refusePositionWithoutEvent(storage, end, from, false);
  return Math.min(from + 1, end);
}

function streamFeed(storage: Storage, stream: string, from: ReadRequest["from"]) {
  let next = from === "start" || from === "end" ? 0 : from + 1;
  const emptyPage = (): ReadPage => readPage([], next);
  if (from === "end") {
    const view = viewOf(storage, stream);
    // EventStoreDB does not read the stream for a subscription from its end, so it does not notice that the stream is deleted.
    if (view.kind === "deleted") return { page: emptyPage, live: () => [] };
    next = view.head + 1;
  }
  return {
    /** Undefined while the stream does not exist, so that there is nothing to catch up with. */
    page(): ReadPage | undefined {
      const view = viewOf(storage, stream);
      if (view.kind === "deleted") throw streamDeleted(stream);
      if (view.kind === "missing") return from === "end" ? emptyPage() : undefined;
      const page = readPage(streamForwards(storage, stream, view, next), next);
      next = Math.max(next, page.next);
      return page;
    },
    /** After the last run it may throw the error that ends the subscription. */
    *live(block: Block): Generator<EventRun> {
      if (block.stream !== stream) return;
      yield* runsOf(partOf(block, (_, revision) => revision >= next));
      next = Math.max(next, block.revision + block.count);
      if (block.revision >= MAX_INT64) throw streamDeleted(stream); // its tombstone
    },
  };
}
