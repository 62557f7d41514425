import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ReadReply, ReplyGroup } from "../../../src/adapters/eventStore/protocol/readReply.js";
import { openEventFeed } from "../../../src/adapters/eventStore/reading/eventFeed.js";
import type { ReadCall } from "../../../src/adapters/eventStore/vendor.js";
import type { StoredEvent } from "../../../src/ports/eventStore.js";
import { metadata } from "./support.js";

const at = (place: number) => ({ commit: BigInt(place), prepare: BigInt(place) });

function event(place: number, ours = true): ReadReply {
  const stored: StoredEvent = {
    stream: "s",
    revision: BigInt(place),
    position: at(place),
    id: String(place),
    type: "t",
    data: {},
    metadata,
    recordedAt: new Date(0),
  };
  return { kind: "event", position: at(place), event: ours ? stored : undefined };
}

/** Replies that arrived in one piece. `undefined` stands for one that cannot be read. */
function together(replies: readonly (ReadReply | undefined)[]): ReplyGroup {
  const left = [...replies];
  return {
    hasMore: () => left.length > 0,
    next() {
      const reply = left.shift();
      if (!reply) throw new Error("malformed");
      return reply;
    },
  };
}

/** A call that the server feeds as fast as it is read, by default one reply at a time. */
function callOf(replies: Iterable<ReadReply | ReplyGroup>): ReadCall & { pulled: number; cancelled: boolean } {
  const source = replies[Symbol.iterator]();
  const call = Object.assign(
    new Readable({
      objectMode: true,
      read() {
        const { value, done } = source.next();
        if (!done) call.pulled += 1;
        this.push(done ? null : "kind" in value ? together([value]) : value);
      },
    }),
    {
      pulled: 0,
      cancelled: false,
      cancel() {
        call.cancelled = true;
      },
    },
  );
  return call;
}

function* forEver(): Generator<ReadReply> {
  for (let place = 1; ; place++) yield event(place);
}

test("a reader that takes nothing slows the server down: a bounded number of events waits here", async () => {
  const call = callOf(forEver());
  const feed = openEventFeed(Promise.resolve(call), 50);
  for (let round = 0; round < 200; round++) await turn();
  expect(call.pulled).toBeLessThan(50 + 2 * call.readableHighWaterMark);
  const first = await feed.take(1000);
  expect(first.events.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => String(index + 1)));
  for (let round = 0; round < 200; round++) await turn();
  expect(call.pulled).toBeLessThan(100 + 2 * call.readableHighWaterMark);
  feed.stop();
  expect(call.cancelled).toBe(true);
});

test("of replies that arrive together one batch is handed over at a time, and the rest with the next takes", async () => {
  const events = Array.from({ length: 25 }, (_, index) => event(index + 1));
  const call = callOf([together([...events, checkpoint(40), { kind: "caughtUp" }])]);
  const feed = openEventFeed(Promise.resolve(call), 10);
  expect(await feed.take(1000)).toMatchObject({ position: at(10), caughtUp: false, events: { length: 10 } });
  expect(await feed.take(1000)).toMatchObject({ position: at(20), caughtUp: false, events: { length: 10 } });
  expect(await feed.take(1000)).toMatchObject({ position: at(25), caughtUp: true, events: { length: 5 } });
  expect(await feed.take(1000)).toMatchObject({ state: "ended", events: [] });
});

test("a batch that the last event fills is marked as caught up", async () => {
  const events = Array.from({ length: 10 }, (_, index) => event(index + 1));
  const feed = openEventFeed(Promise.resolve(callOf([{ kind: "caughtUp" }, together(events)])), 10);
  const [first, second] = [await feed.take(1000), await feed.take(1000)];
  expect([...first.events, ...second.events]).toHaveLength(10);
  expect((first.events.length === 10 ? first : second).caughtUp).toBe(true);
});

test("events before a reply that cannot be read are handed over, then the call fails and is cancelled", async () => {
  const call = callOf([together([event(1), event(2), event(3), undefined, event(4)])]);
  const feed = openEventFeed(Promise.resolve(call), 2);
  expect(await feed.take(1000)).toMatchObject({ position: at(2), events: { length: 2 } });
  expect(await feed.take(1000)).toMatchObject({ position: at(3), events: { length: 1 } });
  await expect(feed.take(1000)).rejects.toThrow("cannot be read");
  expect(call.cancelled).toBe(true);
});

const checkpoint = (place: number): ReadReply => ({ kind: "checkpoint", position: at(place) });

test("a checkpoint moves the position only once the events before it are taken", async () => {
  const events = Array.from({ length: 15 }, (_, index) => event(index + 1));
  const feed = openEventFeed(Promise.resolve(callOf([...events, checkpoint(40), checkpoint(60), { kind: "caughtUp" }])), 10);
  expect(await feed.take(1000)).toMatchObject({ position: at(10), caughtUp: false });
  const second = await feed.take(1000);
  expect(second.events).toHaveLength(5);
  expect(second).toMatchObject({ position: at(40), caughtUp: true });
  feed.stop();
});

test("the last checkpoint before `caughtUp` does not move the position: it may lie past the end of the log", async () => {
  const feed = openEventFeed(Promise.resolve(callOf([event(1), checkpoint(2), { kind: "caughtUp" }])), 10);
  expect(await feed.take(1000)).toMatchObject({ position: at(1), caughtUp: true });
  feed.stop();
});

test("after a checkpoint and a later event the position is the event's", async () => {
  const feed = openEventFeed(Promise.resolve(callOf([checkpoint(2), event(3), checkpoint(4)])), 10);
  expect(await feed.take(1000)).toMatchObject({ position: at(3) });
  feed.stop();
});

test("events that are not ours move the position and are not handed over", async () => {
  const feed = openEventFeed(Promise.resolve(callOf([event(1), event(2, false), event(3, false)])), 10);
  const taken = await feed.take(1000);
  expect(taken.events.map(({ id }) => id)).toEqual(["1"]);
  expect(taken.position).toEqual(at(3));
  expect(await feed.take(1000)).toMatchObject({ state: "ended", events: [] });
});

test("events that came before a failure are handed over before the failure is thrown", async () => {
  const call = callOf(forEver());
  const feed = openEventFeed(Promise.resolve(call), 5);
  await turn();
  call.destroy(new Error("gone"));
  await turn();
  expect((await feed.take(1000)).events).toHaveLength(5);
  await expect(feed.take(1000)).rejects.toThrow("gone");
});

test("a call that does not open in time is reported as silent, and cancelled if it opens after the feed has stopped", async () => {
  let open: (call: ReadCall) => void = () => undefined;
  const feed = openEventFeed(new Promise((resolve) => (open = resolve)), 10);
  expect(await feed.take(10)).toMatchObject({ state: "silent", events: [] });
  feed.stop();
  const late = callOf(forEver());
  open(late);
  await turn();
  expect(late.cancelled).toBe(true);
});

test("a checkpoint at the last event's commit position with prepare position 0 does not move the position back; a later one moves on", async () => {
  const bare = (commit: number): ReadReply => ({ kind: "checkpoint", position: { commit: BigInt(commit), prepare: 0n } });
  const feed = openEventFeed(Promise.resolve(callOf([event(5), bare(5), bare(9), { kind: "caughtUp" }])), 10);
  expect(await feed.take(1000)).toMatchObject({ position: at(5) });
  feed.stop();
  const further = openEventFeed(Promise.resolve(callOf([event(5), bare(9), bare(12), { kind: "caughtUp" }])), 10);
  expect(await further.take(1000)).toMatchObject({ position: { commit: 9n, prepare: 0n } });
  further.stop();
});
