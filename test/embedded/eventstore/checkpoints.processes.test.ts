import { type AllStreamSubscription, BACKWARDS, type Position, type RecordedEvent, START, streamNameFilter } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { startEmbeddedEventStore, type TestEventStore } from "../../support/stores/eventStore.js";
import { collect, numbered, openClient } from "./events.js";

let store: TestEventStore;

beforeAll(async () => {
  store = await startEmbeddedEventStore();
});

afterAll(async () => {
  await store?.stop();
});

test("a live subscriber is told how far the log has come, also when no event matches its filter", async () => {
  const client = openClient(store.address);
  let [caughtUp, heard] = [false, 0n];
  const filter = streamNameFilter({
    prefixes: ["ours-"],
    maxSearchWindow: 100,
    checkpointInterval: 1,
    checkpointReached: async (_, { commit }) => {
      heard = commit;
    },
  });
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  const seen: unknown[] = [];
  subscription
    .on("data", (event) => seen.push(event))
    .on("caughtUp", () => {
      caughtUp = true;
    });
  await eventually(() => caughtUp, "the subscriber to be live");
  const positions: (Position | undefined)[] = [];
  for (let n = 0; n < 250; n++) {
    const { position } = await client.appendToStream(`theirs-${n % 7}`, numbered(n, 1));
    positions.push(position);
  }
  const nearTheEnd = positions.at(-101)?.commit ?? 0n; // the last hundred events may not fill a search window yet
  await eventually(() => heard >= nearTheEnd, "a checkpoint among the foreign events");
  expect(seen).toEqual([]);
  await subscription.unsubscribe();
});

/** Resolves when the subscription has caught up. It has to take the events before that, so they are read and dropped. */
const caughtUp = (subscription: AllStreamSubscription): Promise<void> =>
  new Promise((resolve) => {
    subscription.on("data", () => undefined);
    subscription.once("caughtUp", () => resolve());
  });

test("a checkpoint while catching up is at the last match of the searched window, or at the window's start where nothing matched", async () => {
  const client = openClient(store.address);
  await client.appendToStream("start", numbered(0, 1));
  for (const [stream, count] of [
    ["mine-1", 3],
    ["other-1", 9],
    ["mine-1", 40],
    ["other-1", 3],
  ] as const)
    await client.appendToStream(stream, numbered(0, count));
  const positions = (await collect(client.readAll())).map(({ position }) => position as Position);
  const own = positions.slice(-55);
  const heard: Position[] = [];
  const checkpointReached = async (_: unknown, position: Position) => void heard.push(position);
  const filter = streamNameFilter({ prefixes: ["mine-"], maxSearchWindow: 4, checkpointInterval: 1, checkpointReached });
  const few = client.subscribeToAll({ fromPosition: positions.at(-56) as Position, filter });
  await caughtUp(few);
  await few.unsubscribe();
  // The windows: mine mine mine other | other x4 | other x4 | mine x4 ... | other x3 and the log's end
  expect(heard.slice(0, 4)).toEqual([own[2], own[4], own[8], own[15]]);
  expect(heard).toHaveLength(13);

  const wide = streamNameFilter({ prefixes: ["mine-"], maxSearchWindow: 50, checkpointInterval: 1, checkpointReached });
  heard.length = 0;
  const many = client.subscribeToAll({ fromPosition: positions.at(-56) as Position, filter: wide });
  await caughtUp(many);
  await many.unsubscribe();
  expect(heard).toEqual([]); // 32 matches end a search too, here after 41 events; the log's end comes 14 events later, before a window of 50 is full
});

test("a position between events is refused, a position past the end of the log is not", async () => {
  const client = openClient(store.address);
  await client.appendToStream("places", numbered(0, 2));
  const last = (await collect(client.readAll())).at(-1)?.position as Position;
  const at = (commit: bigint, prepare = commit): Position => ({ commit, prepare });
  const fails = (read: AsyncIterable<{ event?: RecordedEvent }>) => expect(collect(read)).rejects.toMatchObject({ type: "unknown" });
  await fails(client.readAll({ fromPosition: at(last.commit - 1n) }));
  await fails(client.readAll({ fromPosition: at(last.commit - 1n), direction: BACKWARDS }));
  await fails(client.readAll({ fromPosition: at(last.commit, last.commit + 1n) }));
  await fails(client.readAll({ fromPosition: at(last.commit + 1_000_000n), direction: BACKWARDS }));
  await fails(client.subscribeToAll({ fromPosition: at(last.commit - 1n) }));
  expect(await collect(client.readAll({ fromPosition: at(last.commit + 1_000_000n) }))).toEqual([]);
  expect(await collect(client.readAll({ fromPosition: last }))).toHaveLength(1);

  const seen: RecordedEvent[] = [];
  const ahead = client.subscribeToAll({ fromPosition: at(last.commit + 1_000_000n) });
  ahead.on("data", ({ event }) => event && seen.push(event));
  await caughtUp(ahead);
  await client.appendToStream("places", numbered(2, 1));
  await eventually(() => seen.length === 1, "what comes next");
  await ahead.unsubscribe();
});
