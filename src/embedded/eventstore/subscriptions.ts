import { randomUUID } from "node:crypto";
import type { Block } from "./blocks.js";
import type { CommitLog } from "./commitLog.js";
import type { Feed } from "./feeds.js";
import { type Call, frame } from "./grpcCall.js";
import { consumerTooSlow } from "./grpcErrors.js";
import type { Storage } from "./storage.js";
import { bytesField, emptyField, textField } from "./wire.js";

/** EventStoreDB's: a live subscriber that has more than this waiting is ended, and has to subscribe again. */
const LIVE_BUFFER = 32;
/** What may be under way to the peer before events wait in that buffer. */
const LIVE_SEND_BYTES = 64 * 1024;

/** While it catches up a subscriber is paced by its own reading and never dropped; once live it has to keep up. */
export async function subscribe(call: Call, storage: Storage, log: CommitLog, feed: Feed): Promise<void> {
  call.send(frame(bytesField(2, textField(1, randomUUID()))));
  for (;;) {
    await call.drained();
    if (call.isOver()) return;
    storage.refresh();
    const page = feed.page();
    if (page.frames.length > 0) call.send(Buffer.concat(page.frames));
    if (page.done && page.events === 0) break; // no await from here to goLive: nothing can be committed unseen
  }
  const checkpoint = feed.checkpoint();
  if (checkpoint) call.send(checkpoint);
  call.send(frame(emptyField(8)));
  goLive(call, log, feed);
}

function goLive(call: Call, log: CommitLog, feed: Feed): void {
  let waiting: Buffer[] = [];
  let draining = false;

  function flush(): void {
    if (call.isOver() || waiting.length === 0) return;
    if (call.backlog() < LIVE_SEND_BYTES) {
      call.send(Buffer.concat(waiting));
      waiting = [];
    } else if (!draining) {
      draining = true;
      void call.drained().then(() => {
        draining = false;
        flush();
      });
    }
  }

  function take(block: Block): void {
    const { events, checkpoint } = feed.live(block);
    const room = LIVE_BUFFER - waiting.length;
    waiting.push(...events.slice(0, room));
    if (events.length > room) {
      call.send(Buffer.concat(waiting));
      throw consumerTooSlow();
    }
    if (checkpoint && call.backlog() < LIVE_SEND_BYTES) waiting.push(checkpoint);
    flush();
  }

  const leave = log.subscribe((block) => {
    try {
      take(block);
    } catch (error) {
      leave();
      call.fail(error);
    }
  });
  call.onOver(leave);
}
