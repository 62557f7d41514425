// Waybill encodes appends and reads itself, not with the vendor's client: what one writes the other must read the same.
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventStore, StoredEvent } from "../../../src/ports/eventStore.js";
import { noStream } from "../../../src/ports/eventStore.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { all, connect, metadata, newStream, someEvent } from "./support.js";

let node: TestEventStore;
let store: EventStore;
let vendor: EventStoreDBClient;

beforeAll(async () => {
  node = await startHostedEventStore();
  store = connect(node.address);
  vendor = EventStoreDBClient.connectionString(node.address);
});
afterAll(async () => {
  await store?.close();
  await vendor?.dispose();
  await node?.stop();
});

async function asTheVendorReads(stream: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const { event } of vendor.readStream(stream)) {
    if (!event) continue;
    const { streamId, revision, position, id, type, data, created } = event;
    events.push({
      stream: streamId,
      revision,
      position: position as never,
      id,
      type,
      data,
      metadata: event.metadata as never,
      recordedAt: created,
    });
  }
  return events;
}

const payloads: unknown[] = [
  {},
  { n: 0, text: "plain" },
  { text: "Ünïcödé 日本語 🚚", nested: { list: [1, 2.5, -3e-7, null, true, "\u0000\u001f\u2028"] } },
  { text: "x".repeat(127) },
  { text: "x".repeat(16_384) },
  { text: "é".repeat(200_000) },
  [1, 2, 3],
  "just text",
  42,
  null,
];

test("events that Waybill appends read the same through the vendor's client", async () => {
  const stream = newStream("import-ß日");
  const other = { ...metadata, actor: "key:wb_live_Ünï", $causationId: "c" };
  const events = payloads.map((data, index) => ({ ...someEvent(data), type: `Type${index}`, metadata: index % 2 ? metadata : other }));
  await store.append(stream, events, noStream);
  const theirs = await asTheVendorReads(stream);
  expect(theirs.map(({ id, type, data, metadata: about }) => ({ id, type, json: JSON.stringify(data), metadata: about }))).toEqual(events);
  expect(await all(store.read(stream))).toEqual(theirs);
});

test("events that the vendor's client appends read the same through Waybill's", async () => {
  const stream = newStream();
  await vendor.appendToStream(
    stream,
    [{ n: 1 }, { text: "ü 🚚" }].map((data) => jsonEvent({ type: "Theirs", data, metadata })),
  );
  const ours = await all(store.read(stream));
  expect(ours).toHaveLength(2);
  expect(ours).toEqual(await asTheVendorReads(stream));
});

test("events without metadata, with broken metadata or with binary data are handed over without an error", async () => {
  const stream = newStream();
  await vendor.appendToStream(stream, [
    jsonEvent({ type: "Bare", data: { n: 1 } }),
    { ...jsonEvent({ type: "Broken", data: { n: 2 } }), metadata: new Uint8Array([1, 2, 3]) },
    { ...jsonEvent({ type: "Binary", data: {} }), contentType: "application/octet-stream", data: new Uint8Array([0, 255]) as never },
  ]);
  const [bare, broken, binary] = await all(store.read(stream));
  expect(bare).toMatchObject({ type: "Bare", data: { n: 1 }, metadata: { v: 0 } });
  expect(broken).toMatchObject({ type: "Broken", data: { n: 2 }, metadata: { v: 0 } });
  expect(binary?.data).toEqual(Buffer.from([0, 255]));
});
