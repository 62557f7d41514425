import { EventStoreDBClient, type Position, START, streamNameFilter } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestEventStore, type TestEventStore } from "../../support/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { numbered } from "./events.js";

let store: TestEventStore;

beforeAll(async () => {
  store = await startTestEventStore();
});

afterAll(async () => {
  await store?.stop();
});

test("a live subscriber hears how far the log has come though nothing of it is for him", async () => {
  const client = EventStoreDBClient.connectionString(store.address);
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
  const nearTheEnd = positions.at(-101)?.commit ?? 0n; // the last hundred may still be less than an interval
  await eventually(() => heard >= nearTheEnd, "a checkpoint among the foreign events");
  expect(seen).toEqual([]);
  await subscription.unsubscribe();
  await client.dispose();
});
