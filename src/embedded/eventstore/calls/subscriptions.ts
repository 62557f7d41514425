import { randomUUID } from "node:crypto";
import { framesIn } from "../../../adapters/eventStore/protocol/frames.js";
import type { Block } from "../log/blocks.js";
import type { CommitLog } from "../log/commitLog.js";
import type { Storage } from "../log/storage.js";
import { type Call, consumerTooSlow, frameOf } from "../protocol/grpc.js";
import type { SubscriptionFeed } from "./subscriptionFeed.js";

/** EventStoreDB's limit: a live subscription with more events waiting than this is ended, and the client has to subscribe again. */
const LIVE_BUFFER = 32;
/** How many bytes may be under way to the subscriber before events wait in that buffer. */
const LIVE_SEND_BYTES = 64 * 1024;
/** Events that follow each other faster are sent together: each message wakes the subscriber, on cores that those who append need. */
const GATHER_MS = 20;

/** While a subscriber catches up, it sets the pace by its own reading and is never dropped. Once it is live, it has to keep up. */
export async function subscribe(call: Call, storage: Storage, log: CommitLog, feed: SubscriptionFeed): Promise<void> {
  let isConfirmed = false;
  let wake: () => void = () => undefined;
  const leave = log.subscribe(() => wake());
  call.onOver(() => {
    leave();
    wake();
  });
  for (;;) {
    await call.drained();
    if (call.isOver()) return;
    storage.refresh();
    const page = feed.page(); // throws for a deleted stream, whose subscription is not confirmed
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
  let waiting: Buffer[] = [];
  let draining = false;
  let sentAt = 0;
  let gathering: NodeJS.Timeout | undefined;

  /** At once after a pause, and otherwise with what follows. */
  function sendSoon(): void {
    const remainingMs = sentAt + GATHER_MS - performance.now();
    if (remainingMs <= 0 || waiting.length >= LIVE_BUFFER / 2) flush();
    else gathering ??= setTimeout(flush, remainingMs);
  }

  function flush(): void {
    clearTimeout(gathering);
    gathering = undefined;
    if (call.isOver() || waiting.length === 0) return;
    if (call.backlog() < LIVE_SEND_BYTES) {
      call.send(Buffer.concat(waiting));
      waiting = [];
      sentAt = performance.now();
    } else if (!draining) {
      draining = true;
      void call.drained().then(() => {
        draining = false;
        flush();
      });
    }
  }

  function take(block: Block): void {
    if (waiting.length + block.count > LIVE_BUFFER / 2) flush(); // frames held back by GATHER_MS are no lag; half stays free for checkpoints
    for (const { frames, events } of feed.live(block)) {
      for (const frame of framesIn(frames)) {
        if (waiting.length < LIVE_BUFFER) waiting.push(frame);
        else if (events > 0) throw consumerTooSlow(); // a checkpoint without room is dropped: the next one is further on
      }
    }
    sendSoon();
  }

  const leave = log.subscribe((block) => {
    try {
      take(block);
    } catch (error) {
      leave();
      call.send(Buffer.concat(waiting));
      call.fail(error);
    }
  });
  call.onOver(leave);
}
