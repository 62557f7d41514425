import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EventStore, logStart, noStream, type Position, type StoredEvent } from "../../../src/ports/eventStore.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { connect, ids, newStream, someEvents } from "./support.js";

let node: TestEventStore;
let store: EventStore;
let prefix: string;

beforeAll(async () => {
  node = await startHostedEventStore();
  store = connect(node.address);
});
beforeEach(() => {
  // Each test has its own stream prefix, since all tests share one store.
  prefix = newStream("t");
});
afterAll(async () => {
  await store?.close();
  await node?.stop();
});

describe("replaying", () => {
  test("ends where the log ended when the replay began, though more events are written meanwhile", async () => {
    const events = someEvents(1500);
    for (let first = 0; first < 1500; first += 500) await store.append(`${prefix}a`, events.slice(first, first + 500), BigInt(first - 1));
    const replayed: StoredEvent[] = [];
    const reached = await store.replay({ prefixes: [prefix], maxBatch: 200 }, async (batch) => {
      replayed.push(...batch.events);
      await store.append(`${prefix}later${replayed.length}`, someEvents(1), noStream);
    });
    expect(ids(replayed)).toEqual(ids(events));
    expect(reached).toBeDefined();
    const after: StoredEvent[] = [];
    await store.replay({ prefixes: [prefix], from: reached }, async (batch) => void after.push(...batch.events));
    expect(after.length).toBeGreaterThan(0);
    expect(ids(after)).not.toContain(events.at(-1)?.id);
  });

  test("ends at the position it is given (an event's, or just before one), or at the log's end where that comes first", async () => {
    const events = someEvents(30);
    await store.append(`${prefix}a`, events, noStream);
    const all: StoredEvent[] = [];
    const end = await store.replay({ prefixes: [prefix] }, async (batch) => void all.push(...batch.events));
    const replayed = async (until: Position | undefined) => {
      const [seen, positions]: [StoredEvent[], Position[]] = [[], []];
      const reached = await store.replay({ prefixes: [prefix], until, maxBatch: 7 }, async (batch) => {
        seen.push(...batch.events);
        positions.push(batch.position);
      });
      expect(positions.at(-1)).toEqual(reached);
      return { seen: ids(seen), reached };
    };
    const place = all[19]?.position ?? logStart;
    const before = { commit: place.commit - 1n, prepare: place.prepare - 1n };
    expect(await replayed(place)).toEqual({ seen: ids(events.slice(0, 20)), reached: place });
    expect(await replayed(before)).toEqual({ seen: ids(events.slice(0, 19)), reached: before });
    expect(await replayed(logStart)).toEqual({ seen: [], reached: logStart });
    const later = { commit: (end?.commit ?? 0n) + 1_000_000n, prepare: (end?.prepare ?? 0n) + 1_000_000n };
    expect((await replayed(later)).seen).toEqual(ids(events));
  });

  test("also ends where the last events are of other streams, or where no event is left", async () => {
    const [event] = someEvents(1);
    await store.append(`${prefix}a`, [event as never], noStream);
    await store.append(newStream("foreign-"), someEvents(3), noStream);
    const seen: string[] = [];
    const reached = await store.replay({ prefixes: [prefix] }, async (batch) => void seen.push(...ids(batch.events)));
    expect(seen).toEqual([event?.id]);
    expect(reached).toEqual(await store.head());
    expect(await store.replay({ prefixes: [prefix], from: reached }, async (batch) => expect(batch.events).toEqual([]))).toEqual(reached);
  });
});
