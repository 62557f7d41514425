import { EventStoreDBClient } from "@eventstore/db-client";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { LogTooShort } from "../../../src/portErrors.js";
import { type EventStore, noStream, type Position, type StoredEvent } from "../../../src/ports/eventStore.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { startTcpProxy, type TcpProxy } from "../../support/stores/tcpProxy.js";
import { all, connect, type Follower, follower, ids, impatient, newStream, someEvents } from "./support.js";

let node: TestEventStore;
let store: EventStore;
let vendor: EventStoreDBClient;
let prefix: string;
const followers: Follower[] = [];

beforeAll(async () => {
  node = await startHostedEventStore();
  store = connect(node.address);
  vendor = EventStoreDBClient.connectionString(node.address);
});
beforeEach(() => {
  // Each test has its own stream prefix, since all tests share one store.
  prefix = newStream("t");
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  await store?.close();
  await vendor?.dispose();
  await node?.stop();
});

const start = (...args: Parameters<typeof follower>): Follower => {
  const made = follower(...args);
  followers.push(made);
  return made;
};

const isAfter = (a: Position, b: Position) => a.commit > b.commit || (a.commit === b.commit && a.prepare > b.prepare);

/** Going on from a batch's position loses nothing: no later event lies at or before it. */
function expectSafePositions({ batches }: Follower): void {
  let reached: Position | undefined;
  for (const { events, position } of batches) {
    for (const event of events) if (reached) expect(isAfter(event.position, reached)).toBe(true);
    const last = events.at(-1);
    if (last) expect(isAfter(last.position, position)).toBe(false);
    reached = position;
  }
}

describe("following", () => {
  test("hands over old and new events of the streams with the given prefix, in order", async () => {
    const events = someEvents(40);
    await store.append(`${prefix}a`, events.slice(0, 20), noStream);
    await store.append(`other${prefix}`, someEvents(5), noStream);
    const follow = start(store, { prefixes: [prefix] });
    await expect.poll(() => follow.batches.at(-1)?.caughtUp).toBe(true);
    expect(ids(follow.events)).toEqual(ids(events.slice(0, 20)));
    for (const [index, event] of events.slice(20).entries()) await store.append(`${prefix}b`, [event], BigInt(index - 1));
    await expect.poll(() => follow.events.length).toBe(40);
    expect(ids(follow.events)).toEqual(ids(events));
    expectSafePositions(follow);
  });

  test("begins with the first event after the position it is given", async () => {
    const events = someEvents(6);
    await store.append(`${prefix}a`, events, noStream);
    const first = start(store, { prefixes: [prefix] });
    await expect.poll(() => first.events.length).toBe(6);
    const second = start(store, { prefixes: [prefix], from: (first.events[2] as StoredEvent).position });
    await expect.poll(() => second.events.length).toBe(3);
    expect(ids(second.events)).toEqual(ids(events.slice(3)));
  });

  test("a position past the end of the log comes from another log: it is refused with LogTooShort, without waiting", async () => {
    const end = (await store.head()) as Position;
    const from = { commit: end.commit + 1_000_000n, prepare: end.prepare + 1_000_000n };
    const range = { prefixes: [prefix], from, signal: new AbortController().signal };
    await expect(store.follow(range, async () => undefined)).rejects.toThrow(LogTooShort);
    await expect(store.replay(range, async () => undefined)).rejects.toThrow(LogTooShort);
  });

  test("the position moves past events of other streams, so that a restart does not read them again", async () => {
    const own = connect(node.address, { stallMs: 500 });
    onTestFinished(own.close);
    const follow = start(own, { prefixes: [prefix] });
    await expect.poll(() => follow.batches.at(-1)?.caughtUp).toBe(true);
    const stream = newStream("foreign-");
    for (let first = 0; first < 6000; first += 500) await store.append(stream, someEvents(500), BigInt(first - 1));
    const [middle] = await all(store.read(stream, { from: 3000n, max: 1 }));
    const halfWay = (middle as StoredEvent).position;
    await expect.poll(() => isAfter(follow.position() as Position, halfWay)).toBe(true);
    expect(follow.events).toEqual([]);

    const late = start(store, { prefixes: [prefix] });
    await expect.poll(() => late.batches.at(-1)?.caughtUp).toBe(true);
    expect(isAfter(halfWay, late.position() as Position)).toBe(false);
    expect(late.events).toEqual([]);
  });

  test("the server's own events are passed over", async () => {
    await store.append(`${prefix}a`, someEvents(2), noStream);
    await vendor.setStreamMetadata(`${prefix}a`, { maxCount: 100 });
    await vendor.tombstoneStream(`${prefix}a`);
    await store.append(`${prefix}b`, someEvents(1), noStream);
    const follow = start(store, { prefixes: [prefix, "$$"] });
    await expect.poll(() => follow.events.some(({ stream }) => stream === `${prefix}b`)).toBe(true);
    expect(follow.events.filter(({ type }) => type.startsWith("$"))).toEqual([]);
  });

  test("a slow reader gets batches of at most the size asked for, while writers go on", async () => {
    const events = someEvents(3000);
    for (let first = 0; first < 3000; first += 500) await store.append(`${prefix}a`, events.slice(first, first + 500), BigInt(first - 1));
    const follow = start(store, { prefixes: [prefix], maxBatch: 100 }, async () => {
      await store.last(`${prefix}a`);
    });
    await expect.poll(() => follow.events.length).toBe(3000);
    expect(Math.max(...follow.batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(100);
    expect(ids(follow.events)).toEqual(ids(events));
  });

  test("an error of the batch handler ends the following, with that error", async () => {
    await store.append(`${prefix}a`, someEvents(1), noStream);
    const signal = new AbortController().signal;
    const following = store.follow({ prefixes: [prefix], from: undefined, signal }, async (batch) => {
      if (batch.events.length > 0) throw new RangeError("the database is full");
    });
    await expect(following).rejects.toThrow(new RangeError("the database is full"));
  });

  test("closing the store ends the following without an error", async () => {
    const own = connect(node.address);
    const running = own.follow({ prefixes: [prefix], from: undefined, signal: new AbortController().signal }, async () => undefined);
    await own.ping();
    await own.close();
    await running;
  });
});

describe("following through trouble", () => {
  let proxy: TcpProxy;
  let shaky: EventStore;

  beforeEach(async () => {
    proxy = await startTcpProxy(node.address);
    shaky = connect(proxy.address, impatient);
  });
  afterEach(async () => {
    await Promise.all(followers.splice(0).map((one) => one.stop()));
    await shaky.close();
    await proxy.stop();
  });

  test("a bulk append beside a live reader: the server ends the subscription, the reader goes on, every event once", async () => {
    const count = process.env["WAYBILL_LONG"] ? 100_000 : 10_000;
    const events = someEvents(count);
    const said: string[] = [];
    const watched = connect(node.address, { logger: pino({ level: "debug" }, { write: (line) => void said.push(line) }) });
    onTestFinished(watched.close);
    const follow = start(watched, { prefixes: [prefix] }, async () => {
      await store.last(`${prefix}a`); // slower than the writer
    });
    await expect.poll(() => follow.batches.at(-1)?.caughtUp).toBe(true);
    for (let first = 0; first < count; first += 500) await store.append(`${prefix}a`, events.slice(first, first + 500), BigInt(first - 1));
    await expect.poll(() => follow.events.length, { timeout: 600_000 }).toBe(count);
    expect(ids(follow.events)).toEqual(ids(events));
    expectSafePositions(follow);
    expect(said.join("")).toContain("live subscription fell behind");
  }, 900_000);

  test("connections cut again and again while writers append: every event once, in order", async () => {
    const follow = start(shaky, { prefixes: [prefix] });
    const written: string[] = [];
    for (let round = 0; round < 20; round++) {
      const events = someEvents(50);
      await store.append(`${prefix}a`, events, BigInt(round * 50 - 1));
      written.push(...ids(events));
      await expect.poll(() => follow.events.length).toBeGreaterThan(round * 40);
      proxy.cut();
    }
    await expect.poll(() => follow.events.length).toBe(written.length);
    expect(ids(follow.events)).toEqual(written);
    expectSafePositions(follow);
  });

  test.each(["blackHole", "deaf", "refuse"] as const)(
    "a network that is %s for a while stalls the reader only for that while",
    async (kind) => {
      const follow = start(shaky, { prefixes: [prefix] });
      await expect.poll(() => follow.batches.at(-1)?.caughtUp).toBe(true);
      proxy.set({ kind });
      if (kind === "refuse") proxy.cut();
      await store.append(`${prefix}a`, someEvents(3), noStream);
      const before = proxy.connections();
      await expect.poll(() => proxy.connections()).toBeGreaterThan(before);
      expect(follow.events).toEqual([]);
      proxy.set({ kind: "pass" });
      await expect.poll(() => follow.events.length).toBe(3);
    },
  );
});
