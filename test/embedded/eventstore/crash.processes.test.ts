import { type EventStoreDBClient, START } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { startEmbeddedEventStore, type TestEventStore } from "../../support/stores/eventStore.js";
import { collect, isLong, numbered, numberOf, openClient, within } from "./events.js";

const KILLS = isLong ? 50 : 3;
const WRITERS = 3;

let store: TestEventStore;

beforeAll(async () => {
  store = await startEmbeddedEventStore();
});

afterAll(async () => {
  await store?.stop();
});

/** Appends batches of random sizes, each at its exact revision, until an append fails. */
function startWriter(client: EventStoreDBClient, stream: string, head: number) {
  const state = { acknowledged: head, attempted: head, appends: 0 };
  const done = (async () => {
    for (;;) {
      const count = 1 + Math.floor(Math.random() * 40);
      const from = state.acknowledged;
      state.attempted = from + count;
      const expectedRevision = from === 0 ? "no_stream" : BigInt(from - 1);
      try {
        await client.appendToStream(stream, numbered(from, count), { expectedRevision });
      } catch {
        return;
      }
      state.acknowledged = from + count;
      state.appends += 1;
    }
  })();
  return { state, done };
}

test(`kill -9 during appends, ${KILLS} times: acknowledged events are there, no append is half-written, $all stays in order`, async () => {
  const streams = Array.from({ length: WRITERS }, (_, index) => `crash-${index}`);
  const heads = streams.map(() => 0);
  for (let kill = 0; kill < KILLS; kill++) {
    const client = openClient(store.address);
    const writers = streams.map((stream, index) => startWriter(client, stream, heads[index] as number));
    const enough = 1 + Math.floor(Math.random() * 20);
    await eventually(() => writers.every(({ state }) => state.appends >= enough), `${enough} appends of each writer`);
    await store.kill();
    await within(Promise.all(writers.map(({ done }) => done)), "the writers' ends");
    await client.dispose();
    await store.restart();
    for (const [index, { state }] of writers.entries()) {
      heads[index] = await checkedLength(streams[index] as string, state);
    }
  }
  await checkGlobalOrder(streams, heads);
}, 600_000);

async function checkedLength(stream: string, { acknowledged, attempted }: { acknowledged: number; attempted: number }): Promise<number> {
  const client = openClient(store.address);
  const events = await collect(client.readStream(stream));
  expect(events.map(numberOf)).toEqual(events.map((_, index) => index));
  expect(events.map(({ revision }) => Number(revision))).toEqual(events.map((_, index) => index));
  expect([acknowledged, attempted]).toContain(events.length); // the append that was under way landed whole or not at all
  return events.length;
}

async function checkGlobalOrder(streams: string[], heads: number[]): Promise<void> {
  const client = openClient(store.address);
  const read = (await collect(client.readAll())).filter(({ streamId }) => streams.includes(streamId));
  const followed: string[] = [];
  const subscription = client.subscribeToAll({ fromPosition: START });
  subscription.on("data", ({ event }) => {
    if (event && streams.includes(event.streamId)) followed.push(`${event.streamId}@${event.revision}`);
  });
  await eventually(() => followed.length >= read.length, "the subscription to see everything");
  await subscription.unsubscribe();
  expect(followed).toEqual(read.map(({ streamId, revision }) => `${streamId}@${revision}`));
  const positions = read.map(({ position }) => position?.commit ?? 0n);
  expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] as bigint))).toBe(true);
  const perStream = streams.map((stream) => read.filter(({ streamId }) => streamId === stream).map(({ revision }) => Number(revision)));
  expect(perStream).toEqual(heads.map((head) => Array.from({ length: head }, (_, index) => index)));
}
