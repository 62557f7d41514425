// Turns one of the client's readables into batches that are taken when the taker is ready. At most `limit` events wait here;
// then the readable is paused, and through it the server.
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResolvedEvent } from "@eventstore/db-client";
import type { Position, StoredEvent } from "../../ports.js";
import { isAfter, positionOf, toStoredEvent } from "./conversion.js";

export interface Taken {
  readonly events: StoredEvent[];
  /** Everything up to here has been handed over, foreign and system events included. */
  readonly position: Position | undefined;
  readonly caughtUp: boolean;
  /** `silent`: nothing came within the time given. */
  readonly state: "flowing" | "silent" | "ended";
}

export interface Feed {
  /** Waits for something to hand over; throws what the readable failed with once all that came before it was taken. */
  take(waitMs: number, signal?: AbortSignal): Promise<Taken>;
  /** A checkpoint belongs behind the events that the readable still buffers. */
  checkpoint(position: Position): void;
  /** Waits until the call was cancelled: one that is left and forgotten keeps its buffers at the server. */
  stop(): Promise<void>;
}

type Source = Readable & { cancel?: () => Promise<void>; unsubscribe?: () => Promise<void> };

export function openFeed(source: Source, limit: number): Feed {
  let queue: StoredEvent[] = [];
  let received = 0;
  let position: Position | undefined;
  let marks: { after: number; position: Position }[] = [];
  let liveAfter: number | undefined;
  let announced = false;
  let failure: { error: unknown } | undefined;
  let ended = false;
  let wake: () => void = () => undefined;

  source.on("data", (resolved: ResolvedEvent) => {
    received += 1;
    position = positionOf(resolved) ?? position;
    const event = toStoredEvent(resolved);
    if (event) queue.push(event);
    if (queue.length >= limit) source.pause();
    wake();
  });
  source.on("caughtUp", () => {
    liveAfter = received + source.readableLength;
    announced = false;
    wake();
  });
  source.on("fellBehind", () => {
    liveAfter = undefined;
  });
  source.on("error", (error: unknown) => {
    failure ??= { error };
    wake();
  });
  source.on("end", () => {
    ended = true;
    wake();
  });

  const live = () => liveAfter !== undefined && received >= liveAfter && source.readableLength === 0;
  const markReady = () => marks[0] !== undefined && marks[0].after <= received;
  const something = () => queue.length > 0 || markReady() || (live() && !announced) || failure !== undefined || ended;

  async function wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      signal?.addEventListener("abort", done, { once: true });
      wake = () => {
        if (something()) done();
      };
    });
    wake = () => undefined;
  }

  return {
    async take(waitMs, signal) {
      if (!something() && !signal?.aborted) {
        await wait(waitMs, signal);
        // Events arrive in bursts: one more turn of the loop turns a burst into one batch.
        if (queue.length > 0 && queue.length < limit) await nextTurn();
      }
      if (!something()) return { events: [], position, caughtUp: false, state: "silent" };
      const events = queue;
      queue = [];
      while (markReady()) {
        const mark = marks.shift();
        if (mark && isAfter(mark.position, position)) position = mark.position;
      }
      if (failure && events.length === 0) throw failure.error;
      const caughtUp = live();
      announced ||= caughtUp;
      if (!failure && source.isPaused()) source.resume();
      return { events, position, caughtUp, state: ended && events.length === 0 ? "ended" : "flowing" };
    },
    checkpoint(at) {
      marks.push({ after: received + source.readableLength, position: at });
      wake();
    },
    async stop() {
      marks = [];
      source.removeAllListeners("data");
      source.on("error", () => undefined);
      if (ended) return;
      // Destroying our end alone would leave the call open on the server for ever.
      await (source.unsubscribe?.() ?? source.cancel?.())?.catch(() => undefined);
      source.destroy();
    },
  };
}
