import { MAX_INT64 } from "../../../adapters/eventStore/protocol/protobuf.js";
import { type Block, endOf, partOf } from "../log/blocks.js";
import type { CommitLog } from "../log/commitLog.js";
import {
  allForwards,
  type EventRun,
  type ReadPage,
  refusePositionWithoutEvent,
  runsOf,
  streamForwards,
  streamViewOf,
  takePage,
} from "../log/reads.js";
import type { Storage } from "../log/storage.js";
import { positionMessage } from "../protocol/appendReplies.js";
import { frameOf, streamDeleted } from "../protocol/grpc.js";
import type { EventFilter, ReadRequest } from "../protocol/parseRequest.js";

/** EventStoreDB ends a page after this many matching events, even if it has not searched the whole window. */
const MAX_PAGE_MATCHES = 32;

/**
 * Checkpoints tell a filtered subscriber how far the search has come, so that after a reconnect it need not search again from its last
 * match. Checkpoints come as often as on EventStoreDB. While the subscriber catches up, a page's events count towards the next checkpoint
 * when the page is complete. Once the subscriber is live, each event counts, and so do those of the last page, which ended with the log.
 */
export function createCheckpointReporter({ window, checkpointInterval }: EventFilter) {
  let sinceCheckpoint = 0;
  let inPage = 0;
  let matchesInPage = 0;
  let checkpointPosition = 0;

  return {
    /** Counts an event that is tested while catching up. Returns the checkpoint to send after it, if any. */
    countSearched(position: number, matches: boolean): Buffer | undefined {
      if (matches || inPage === 0) checkpointPosition = position; // the checkpoint of a page without a match is at the page's first event
      inPage += 1;
      if (matches) matchesInPage += 1;
      if (inPage < window && matchesInPage < MAX_PAGE_MATCHES) return undefined;
      sinceCheckpoint += inPage;
      inPage = 0;
      matchesInPage = 0;
      if (sinceCheckpoint < checkpointInterval) return undefined;
      sinceCheckpoint %= checkpointInterval;
      return checkpointAt(checkpointPosition);
    },

    /** Counts an event that is committed while the subscriber is live. Returns the checkpoint to send after it, if any. */
    countLive(position: number): Buffer | undefined {
      sinceCheckpoint += inPage + 1;
      inPage = 0;
      if (sinceCheckpoint < checkpointInterval) return undefined;
      sinceCheckpoint = 0;
      return checkpointAt(position);
    },
  };
}

const checkpointAt = (position: number): Buffer => frameOf([[3, positionMessage(position)]]);

export type SubscriptionFeed = ReturnType<typeof openSubscriptionFeed>;

/** Gives a subscriber its events: first in pages from the disk, then block by block as they are committed. */
export function openSubscriptionFeed(storage: Storage, log: CommitLog, request: ReadRequest) {
  storage.refresh();
  return request.stream === undefined ? allFeed(storage, log, request) : streamFeed(storage, request.stream, request.from);
}

function allFeed(storage: Storage, log: CommitLog, { from, filter }: ReadRequest) {
  let next = firstPosition(storage, log.committedEnd(), from);
  const checkpoints = filter && createCheckpointReporter(filter);
  return {
    nextPage() {
      const page = takePage(allForwards(storage, { from: next }, filter, checkpoints?.countSearched), next);
      next = page.next;
      return page;
    },
    liveRuns(block: Block): Iterable<EventRun> {
      const unseen = block.position >= next ? block : partOf(block, (position) => position >= next);
      next = Math.max(next, endOf(block));
      return runsOf(unseen, filter, checkpoints?.countLive);
    },
  };
}

/** Where the subscription begins. After a position beyond the end it begins with the next event, as on EventStoreDB. */
function firstPosition(storage: Storage, end: number, from: ReadRequest["from"]): number {
  if (from === "start") return 0;
  if (from === "end") return end;
  refusePositionWithoutEvent(storage, end, from, false);
  return Math.min(from + 1, end);
}

function streamFeed(storage: Storage, stream: string, from: ReadRequest["from"]) {
  let next = from === "start" || from === "end" ? 0 : from + 1;
  const emptyPage = (): ReadPage => takePage([], next);
  if (from === "end") {
    const view = streamViewOf(storage, stream);
    // For a subscription from the end EventStoreDB does not read the stream, so it does not notice that the stream is deleted.
    if (view.kind === "deleted") return { nextPage: emptyPage, liveRuns: () => [] };
    next = view.head + 1;
  }
  return {
    /** Undefined while the stream does not exist. */
    nextPage(): ReadPage | undefined {
      const view = streamViewOf(storage, stream);
      if (view.kind === "deleted") throw streamDeleted(stream);
      if (view.kind === "missing") return from === "end" ? emptyPage() : undefined;
      const page = takePage(streamForwards(storage, stream, view, next), next);
      next = Math.max(next, page.next);
      return page;
    },
    /** After the last run it may throw the error that ends the subscription. */
    *liveRuns(block: Block): Generator<EventRun> {
      if (block.stream !== stream) return;
      yield* runsOf(partOf(block, (_, revision) => revision >= next));
      next = Math.max(next, block.revision + block.count);
      if (block.revision >= MAX_INT64) throw streamDeleted(stream); // its tombstone
    },
  };
}
