import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  type Filter,
  type Position,
  type RecordedEvent,
  START,
  streamNameFilter,
} from "@eventstore/db-client";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { collect, isLong, numbered, ownMemoryOf, useEventStore } from "./events.js";

const APPENDS_PER_WRITER = isLong ? 2_000 : 75;
const MEBIBYTE = 1024 * 1024;

let store: TestEventStore;
let client: EventStoreDBClient;
useEventStore((started) => {
  ({ store, client } = started);
});

const show = ({ streamId, revision }: RecordedEvent): string => `${streamId}@${revision}`;

/** Subscribes again at its last position whenever the server ends it, as every application has to. */
function startFollower(
  filter: Filter,
  habit: (seen: number, subscription: AllStreamSubscription) => void | Promise<void> = () => undefined,
) {
  const seen: string[] = [];
  let position: Position | typeof START = START;
  let stopped = false;
  let subscription: AllStreamSubscription | undefined;
  const done = (async () => {
    while (!stopped) {
      const current: AllStreamSubscription = client.subscribeToAll({ fromPosition: position, filter });
      subscription = current;
      try {
        for await (const { event } of current) {
          if (!event) continue;
          seen.push(show(event));
          position = event.position;
          await habit(seen.length, current);
        }
      } catch (error) {
        if ((error as { type?: string }).type !== "timeout") throw error;
      }
    }
  })();
  const stop = async (): Promise<void> => {
    if (!stopped) {
      stopped = true;
      await subscription?.unsubscribe();
    }
    await done;
  };
  onTestFinished(stop);
  return { seen, stop };
}

async function write(stream: string): Promise<void> {
  for (let n = 0, append = 0; append < APPENDS_PER_WRITER; append++) {
    const count = append % 25 === 24 ? 60 : 1 + (append % 7); // every 25th append is more than a live subscriber's buffer holds
    await client.appendToStream(stream, numbered(n, count, { type: append % 2 === 0 ? "Even" : "Odd" }));
    n += count;
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

test("a subscriber that joins, leaves, lags or stalls while three writers append sees every matching event once, in order", async () => {
  const all = streamNameFilter({ prefixes: ["three-"] });
  const one = streamNameFilter({ regex: "^three-1$" });
  const even = eventTypeFilter({ prefixes: ["Even"] });
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const early = startFollower(all);
  const byType = startFollower(even);
  const lagging = startFollower(all, (seen) => (seen % 20 === 0 ? pause() : undefined));
  const leaving = startFollower(all, (seen, subscription) => (seen % 100 === 0 ? subscription.unsubscribe() : undefined));
  const stalled = startFollower(one, (seen) => (seen === 1 ? released : undefined));
  onTestFinished(release); // before the stop, which waits for what the follower does

  const writing = Promise.all(["three-0", "three-1", "three-2"].map(write));
  await eventually(() => early.seen.length > 200, "the writers to be well under way");
  const late = startFollower(all);
  const lateByStream = startFollower(one);
  await writing;
  release();

  const events = (await collect(client.readAll())).filter(({ streamId }) => streamId.startsWith("three-"));
  const everything = events.map(show);
  const ofOne = events.filter(({ streamId }) => streamId === "three-1").map(show);
  const ofEven = events.filter(({ type }) => type === "Even").map(show);
  const followers = { early, byType, lagging, leaving, stalled, late, lateByStream };
  const wanted = {
    early: everything,
    byType: ofEven,
    lagging: everything,
    leaving: everything,
    stalled: ofOne,
    late: everything,
    lateByStream: ofOne,
  };
  for (const [name, follower] of Object.entries(followers)) {
    const { length } = wanted[name as keyof typeof wanted];
    await eventually(() => follower.seen.length >= length, `${name} to see ${length} events, not ${follower.seen.length}`);
    await follower.stop();
    expect({ [name]: follower.seen }).toEqual({ [name]: wanted[name as keyof typeof wanted] });
  }
}, 600_000);

test("twenty stalled subscribers cost the store bounded memory", async () => {
  const pad = "x".repeat(2_000);
  const filter = streamNameFilter({ prefixes: ["stall-"] });
  await client.appendToStream("stall-0", numbered(0, 400, { pad }));
  const subscriptions = Array.from({ length: 20 }, () => client.subscribeToAll({ fromPosition: START, filter }));
  for (const subscription of subscriptions) subscription.on("error", () => undefined); // without a "data" listener nothing is read
  const before = ownMemoryOf(store.pid);
  const megabytes = isLong ? 400 : 24;
  for (let written = 0; written < megabytes; written++) await client.appendToStream("stall-1", numbered(written * 450, 450, { pad }));
  const after = ownMemoryOf(store.pid);
  for (const subscription of subscriptions) await subscription.unsubscribe();
  if (before === undefined || after === undefined) return; // the system does not tell
  expect(after - before).toBeLessThan(150 * MEBIBYTE); // with a buffer of its own for each subscriber it would be 20 x 24 MB
}, 600_000);

test("a live subscriber whose buffer overflows is ended with the real server's error, and misses nothing when it subscribes again", async () => {
  const filter = streamNameFilter({ prefixes: ["burst"] });
  const seen: RecordedEvent[] = [];
  let bursts: Promise<void> | undefined;
  const ended = new Promise<Record<string, unknown>>((resolve) => {
    const subscription = client.subscribeToAll({ fromPosition: START, filter });
    subscription.on("data", ({ event }) => event && seen.push(event));
    subscription.on("error", (error) => resolve(error as unknown as Record<string, unknown>));
    subscription.on("caughtUp", () => {
      bursts ??= (async () => {
        // A real server ends the subscription at most bursts, not at each.
        for (let burst = 0; burst < 20; burst++) await client.appendToStream("burst", numbered(burst * 500, 500));
      })();
    });
  });
  const error = await ended;
  expect(error).toMatchObject({ type: "timeout", code: 10 });
  expect(error["message"]).toContain("Consumer too slow to handle event while live. Client resubscription required.");

  const rest: RecordedEvent[] = [];
  const again = client.subscribeToAll({ fromPosition: seen.at(-1)?.position ?? START, filter });
  again.on("data", ({ event }) => event && rest.push(event));
  again.on("error", () => undefined);
  await eventually(() => seen.length + rest.length >= 500, "the rest of the burst");
  await again.unsubscribe();
  await bursts;
  const numbers = [...seen, ...rest].map(({ revision }) => Number(revision));
  expect(numbers).toEqual(numbers.map((_, index) => index));
});

test("a subscriber that is still catching up is never ended, however slow", async () => {
  const pad = "y".repeat(1_000);
  for (let batch = 0; batch < 10; batch++) await client.appendToStream("patience", numbered(batch * 500, 500, { pad }));
  const subscription = client.subscribeToStream("patience", { fromRevision: START });
  const seen: number[] = [];
  for await (const { event } of subscription) {
    // Appended while the subscriber is still catching up.
    if (seen.length === 10) await client.appendToStream("patience", numbered(5_000, 500, { pad }));
    seen.push(Number(event?.revision));
    if (seen.length % 250 === 0) await pause();
    if (seen.length === 5_500) break;
  }
  expect(seen).toEqual(Array.from({ length: 5_500 }, (_, index) => index));
});
