// Turns a read call into batches, which the caller takes when it is ready. At most `limit` events wait here; then the feed pauses the call,
// and back-pressure pauses the server.
import { setImmediate as nextIteration } from "node:timers/promises";
import { convertToCommandError } from "@eventstore/db-client";
import { isAfter, type Position, type StoredEvent } from "../../../ports/eventStore.js";
import type { ReadReply, ReplyGroup } from "../protocol/readReply.js";
import type { ReadCall } from "../vendor.js";

export interface FeedBatch {
  readonly events: StoredEvent[];
  /** All events that the call asks for, up to this position, are in this batch or in earlier ones. */
  readonly position: Position | undefined;
  /** True when the server has reported that it has sent everything, and this batch and earlier ones have all that has arrived. */
  readonly caughtUp: boolean;
  /** `flowing`: more may come. `silent`: nothing came in time. `ended`: the server ended the call. `missing`: there is no such stream. */
  readonly state: "flowing" | "silent" | "ended" | "missing";
}

/**
 * The call may take long to open, since the client has to find the server, so `take` waits for that too. `maxEvents` is how many events the
 * call asked for; after them the server ends the call by itself.
 */
export function openEventFeed(opening: Promise<ReadCall>, limit: number, maxEvents = Number.POSITIVE_INFINITY) {
  let call: ReadCall | undefined;
  let queue: StoredEvent[] = [];
  let replyGroup: ReplyGroup | undefined;
  let position: Position | undefined;
  let checkpoint: Position | undefined;
  let received = 0;
  let [atEnd, hasNews, hasEnded, isMissing, isStopped] = [false, false, false, false, false];
  let failure: { error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const fail = (error: unknown) => {
    failure ??= { error: error instanceof Error ? convertToCommandError(error) : error };
    wake();
  };

  function receive(replies: ReplyGroup): void {
    replyGroup = replies;
    decodeReplies();
    wake();
  }

  /** Decodes replies that have arrived until `limit` events wait here. */
  function decodeReplies(): void {
    try {
      while (queue.length < limit && replyGroup?.hasMore()) handleReply(replyGroup.next());
    } catch (error) {
      replyGroup = undefined;
      call?.cancel();
      fail(new Error("the server sent what cannot be read", { cause: error }));
    }
    if (queue.length >= limit) call?.pause();
    else if (call?.isPaused()) call.resume();
  }

  function handleReply(reply: ReadReply): void {
    switch (reply.kind) {
      case "event":
        position = reply.position;
        checkpoint = undefined;
        received += 1;
        if (reply.event) queue.push(reply.event);
        break;
      case "checkpoint":
        // After a catch-up, EventStoreDB newer than 23.10 may send a last checkpoint past the end of the log. So a checkpoint counts only
        // when another has followed it. A checkpoint with the last event's commit position and prepare position 0 is not after that event.
        if (checkpoint && isAfter(checkpoint, position)) position = checkpoint;
        checkpoint = reply.position;
        break;
      case "caughtUp":
        atEnd = true;
        break;
      case "fellBehind":
        atEnd = false;
        break;
      case "streamNotFound":
        isMissing = true;
        break;
      case "other":
        return;
    }
    hasNews = true;
  }

  opening.then((opened) => {
    call = opened;
    opened.on("error", fail);
    if (isStopped) return opened.cancel();
    opened.on("data", receive);
    opened.on("end", () => {
      hasEnded = true;
      wake();
    });
  }, fail);

  const isReady = () => hasNews || failure !== undefined || hasEnded;

  async function wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stopWaiting);
        resolve();
      };
      const timer = setTimeout(stopWaiting, waitMs);
      signal?.addEventListener("abort", stopWaiting, { once: true });
      wake = () => {
        if (isReady()) stopWaiting();
      };
    });
    wake = () => undefined;
    // Replies arrive in bursts: one more iteration of the event loop collects a burst in one batch.
    if (queue.length > 0 && queue.length < limit && received < maxEvents) await nextIteration();
  }

  return {
    /** Waits for a batch. If the call fails, `take` first returns the events that had arrived, and throws the error at its next call. */
    async take(waitMs: number, signal?: AbortSignal): Promise<FeedBatch> {
      if (!isReady() && !signal?.aborted) await wait(waitMs, signal);
      if (!isReady()) return { events: [], position, caughtUp: false, state: "silent" };
      const events = queue;
      if (failure && events.length === 0) throw failure.error;
      queue = [];
      hasNews = false;
      const caughtUp = atEnd && !replyGroup?.hasMore() && call?.readableLength === 0;
      const state = isMissing ? "missing" : hasEnded && events.length === 0 ? "ended" : "flowing";
      const batch = { events, position, caughtUp, state } as const;
      decodeReplies();
      return batch;
    },
    stop(): void {
      isStopped = true;
      call?.removeListener("data", receive);
      if (!hasEnded && !failure && !isMissing && received < maxEvents) call?.cancel();
    },
  };
}
