import { randomUUID } from "node:crypto";
import { splitFrames } from "../../../adapters/eventStore/protocol/frames.js";
import type { Block } from "../log/blocks.js";
import type { CommitLog } from "../log/commitLog.js";
import type { Storage } from "../log/storage.js";
import { type Call, consumerTooSlow, frameOf } from "../protocol/grpc.js";
import type { SubscriptionFeed } from "./subscriptionFeed.js";

/** EventStoreDB's limit: if more events wait for a live subscriber, its subscription ends, and the client has to subscribe again. */
const MAX_WAITING_EVENTS = 32;
/** The most bytes on their way to a subscriber. Beyond this further events wait here. */
const MAX_BACKLOG_BYTES = 64 * 1024;
/** Events that come within this time are sent together, since each message wakes the subscriber and takes processor time from appends. */
const GATHER_MS = 20;

/** While a subscriber catches up, it sets the pace by its own reading and is never dropped. Once it is live, it has to keep up. */
export async function subscribe(call: Call, storage: Storage, log: CommitLog, feed: SubscriptionFeed): Promise<void> {
  let isConfirmed = false;
  let wake: () => void = () => undefined;
  const unsubscribe = log.subscribe(() => wake());
  call.onClose(() => {
    unsubscribe();
    wake();
  });
  for (;;) {
    await call.drained();
    if (call.isOver()) return;
    storage.refresh();
    const page = feed.nextPage(); // throws for a deleted stream, so its subscription is not confirmed
    if (!isConfirmed) call.send(frameOf([[2, [[1, randomUUID()]]]]));
    isConfirmed = true;
    if (!page) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    if (page.frames.length > 0) call.send(Buffer.concat(page.frames));
    if (page.done && page.events === 0) break; // no await from here to goLive: nothing can be committed unseen
  }
  call.send(frameOf([[8, []]]));
  goLive(call, log, feed);
}

function goLive(call: Call, log: CommitLog, feed: SubscriptionFeed): void {
  let waitingFrames: Buffer[] = [];
  let isDraining = false;
  let sentAt = 0;
  let flushTimer: NodeJS.Timeout | undefined;

  /** Sends now if nothing was sent for GATHER_MS, and otherwise together with the events that follow. */
  function sendSoon(): void {
    const remainingMs = sentAt + GATHER_MS - performance.now();
    if (remainingMs <= 0 || waitingFrames.length >= MAX_WAITING_EVENTS / 2) flush();
    else flushTimer ??= setTimeout(flush, remainingMs);
  }

  function flush(): void {
    clearTimeout(flushTimer);
    flushTimer = undefined;
    if (call.isOver() || waitingFrames.length === 0) return;
    if (call.backlog() < MAX_BACKLOG_BYTES) {
      call.send(Buffer.concat(waitingFrames));
      waitingFrames = [];
      sentAt = performance.now();
    } else if (!isDraining) {
      isDraining = true;
      void call.drained().then(() => {
        isDraining = false;
        flush();
      });
    }
  }

  function enqueue(block: Block): void {
    // Frames held back by GATHER_MS are no lag. Half of the buffer stays free for checkpoints.
    if (waitingFrames.length + block.count > MAX_WAITING_EVENTS / 2) flush();
    for (const { frames, events } of feed.liveRuns(block)) {
      for (const frame of splitFrames(frames)) {
        if (waitingFrames.length < MAX_WAITING_EVENTS) waitingFrames.push(frame);
        else if (events > 0) throw consumerTooSlow(); // a checkpoint without room is dropped, since a later one replaces it
      }
    }
    sendSoon();
  }

  const unsubscribe = log.subscribe((block) => {
    try {
      enqueue(block);
    } catch (error) {
      unsubscribe();
      call.send(Buffer.concat(waitingFrames));
      call.fail(error);
    }
  });
  call.onClose(unsubscribe);
}
