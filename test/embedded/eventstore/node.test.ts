import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestEventStore, type TestEventStore } from "../../support/eventStore.js";

describe("the event store, through the unmodified client", () => {
  let store: TestEventStore;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    store = await startTestEventStore();
    client = EventStoreDBClient.connectionString(store.address);
  });

  afterAll(async () => {
    await client?.dispose();
    await store?.stop();
  });

  test("an event comes back as it went in", async () => {
    const event = jsonEvent({ type: "Noted", data: { text: "Grüße, 世界" }, metadata: { by: "test" } });
    const before = Date.now();
    await client.appendToStream("notes-1", event, { expectedRevision: NO_STREAM });
    const [read] = await collect(client.readStream("notes-1"));
    expect(read?.event).toMatchObject({
      id: event.id,
      type: "Noted",
      data: event.data,
      metadata: event.metadata,
      revision: 0n,
      isJson: true,
    });
    expect(Math.abs((read?.event?.created.getTime() ?? 0) - before)).toBeLessThan(60_000);
  });
});

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
