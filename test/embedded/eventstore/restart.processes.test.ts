import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmbeddedEventStore, type TestEventStore } from "../../support/stores/eventStore.js";
import { collect, numbered } from "./events.js";

let store: TestEventStore;

beforeAll(async () => {
  store = await startEmbeddedEventStore();
});

afterAll(async () => {
  await store?.stop();
});

async function withClient<T>(work: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
  const client = EventStoreDBClient.connectionString(store.address);
  try {
    return await work(client);
  } finally {
    await client.dispose();
  }
}

test("a retry at its exact revision is acknowledged also after a restart, and appends nothing", async () => {
  const [first, second] = [numbered(0, 3), numbered(3, 3)];
  await withClient(async (client) => {
    await client.appendToStream("retried", first, { expectedRevision: NO_STREAM });
    await client.appendToStream("retried", second, { expectedRevision: 2n });
  });
  await store.restart();
  await withClient(async (client) => {
    const again = await client.appendToStream("retried", second, { expectedRevision: 2n });
    const whole = await client.appendToStream("retried", first, { expectedRevision: NO_STREAM });
    expect([again.nextExpectedRevision, whole.nextExpectedRevision]).toEqual([5n, 2n]);
    expect(await collect(client.readStream("retried"))).toHaveLength(6);
  });
});

test("positions go on growing after a restart, and old ones still point at the same events", async () => {
  const before = await withClient((client) => client.appendToStream("growing", numbered(0, 5)));
  await store.restart();
  await withClient(async (client) => {
    const after = await client.appendToStream("growing", numbered(5, 5));
    expect(after.position?.commit).toBeGreaterThan(before.position?.commit ?? 0n);
    if (!before.position) throw new Error("no position");
    const [at] = await collect(client.readAll({ fromPosition: before.position, maxCount: 1 }));
    expect([at?.streamId, at?.revision]).toEqual(["growing", 4n]);
  });
});

test("deletes and descriptions survive a restart", async () => {
  await withClient(async (client) => {
    for (const stream of ["kept-short", "gone", "closed"]) await client.appendToStream(stream, numbered(0, 4));
    await client.setStreamMetadata("kept-short", { maxCount: 1 });
    await client.deleteStream("gone");
    await client.tombstoneStream("closed");
  });
  await store.restart();
  await withClient(async (client) => {
    expect(await collect(client.readStream("kept-short"))).toHaveLength(1);
    await expect(collect(client.readStream("gone"))).rejects.toMatchObject({ type: "stream-not-found" });
    const { nextExpectedRevision } = await client.appendToStream("gone", jsonEvent({ type: "Back", data: {} }), {
      expectedRevision: NO_STREAM,
    });
    expect(nextExpectedRevision).toBe(4n);
    await expect(client.appendToStream("closed", numbered(4, 1))).rejects.toMatchObject({ type: "stream-deleted" });
  });
});
