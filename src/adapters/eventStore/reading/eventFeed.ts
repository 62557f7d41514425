// Turns a read call into batches, which the caller takes when it is ready. At most `limit` events wait here; then the call is paused, and
// through it the server.
import { setImmediate as nextIteration } from "node:timers/promises";
import { convertToCommandError } from "@eventstore/db-client";
import { isAfter, type Position, type StoredEvent } from "../../../ports/eventStore.js";
import type { ReadReply, ReplyGroup } from "../protocol/readReply.js";
import type { ReadCall } from "../vendor.js";

export interface FeedBatch {
  readonly events: StoredEvent[];
  /** All events up to this position that the call asks for have been handed over. */
  readonly position: Position | undefined;
  /** The server has said that it has sent everything, and everything that has arrived is handed over. */
  readonly caughtUp: boolean;
  /** `flowing`: there may be more. `silent`: nothing came in time. `ended`: the server ended the call. `missing`: there is no such stream. */
  readonly state: "flowing" | "silent" | "ended" | "missing";
}

/**
 * The call may take long to open, since the client has to find the server, so `take` waits for that too. `wanted`: how many events the call
 * asked for; after them the server ends the call by itself.
 */
export function openEventFeed(opening: Promise<ReadCall>, limit: number, wanted = Number.POSITIVE_INFINITY) {
  let call: ReadCall | undefined;
  let queue: StoredEvent[] = [];
  let arrived: ReplyGroup | undefined;
  let position: Position | undefined;
  let checkpoint: Position | undefined;
  let received = 0;
  let [atEnd, news, ended, missing, stopped] = [false, false, false, false, false];
  let failure: { error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const fail = (error: unknown) => {
    failure ??= { error: error instanceof Error ? convertToCommandError(error) : error };
    wake();
  };

  function receive(replies: ReplyGroup): void {
    arrived = replies;
    readOn();
    wake();
  }

  /** Reads what has arrived, until enough waits here. */
  function readOn(): void {
    try {
      while (queue.length < limit && arrived?.hasMore()) note(arrived.next());
    } catch (error) {
      arrived = undefined;
      call?.cancel();
      fail(new Error("the server sent what cannot be read", { cause: error }));
    }
    if (queue.length >= limit) call?.pause();
    else if (call?.isPaused()) call.resume();
  }

  function note(reply: ReadReply): void {
    switch (reply.kind) {
      case "event":
        position = reply.position;
        checkpoint = undefined;
        received += 1;
        if (reply.event) queue.push(reply.event);
        break;
      case "checkpoint":
        // After a catch-up the last checkpoint of an EventStoreDB newer than 23.10 may be past the end of the log, so a checkpoint counts only
        // once another reply follows it. One with the last event's commit position and a prepare position of 0 is not after it: isAfter leaves it out.
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
        missing = true;
        break;
      case "other":
        return;
    }
    news = true;
  }

  opening.then((opened) => {
    call = opened;
    opened.on("error", fail);
    if (stopped) return opened.cancel();
    opened.on("data", receive);
    opened.on("end", () => {
      ended = true;
      wake();
    });
  }, fail);

  const something = () => news || failure !== undefined || ended;

  async function wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      signal?.addEventListener("abort", done, { once: true });
      wake = () => {
        if (something()) done();
      };
    });
    wake = () => undefined;
    // Replies arrive in bursts: one more iteration of the event loop makes one batch of a burst.
    if (queue.length > 0 && queue.length < limit && received < wanted) await nextIteration();
  }

  return {
    /** Waits for something to hand over. If the call fails, what had arrived is handed over first; then this throws its error. */
    async take(waitMs: number, signal?: AbortSignal): Promise<FeedBatch> {
      if (!something() && !signal?.aborted) await wait(waitMs, signal);
      if (!something()) return { events: [], position, caughtUp: false, state: "silent" };
      const events = queue;
      if (failure && events.length === 0) throw failure.error;
      queue = [];
      news = false;
      const caughtUp = atEnd && !arrived?.hasMore() && call?.readableLength === 0;
      const state = missing ? "missing" : ended && events.length === 0 ? "ended" : "flowing";
      const taken = { events, position, caughtUp, state } as const;
      readOn();
      return taken;
    },
    stop(): void {
      stopped = true;
      call?.removeListener("data", receive);
      if (!ended && !failure && !missing && received < wanted) call?.cancel();
    },
  };
}
