import { EventStoreDBClient } from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AppendTooLarge, StreamDeleted, WrongVersion } from "../../../src/portErrors.js";
import { type EventStore, noStream } from "../../../src/ports/eventStore.js";
import type { TestEventStore } from "../../support/stores/eventStore.js";
import { startHostedEventStore } from "../../support/stores/hostedEventStore.js";
import { all, connect, ids, newStream, someEvent, someEvents } from "./support.js";

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

describe.each([
  ["a few events", 3],
  ["a chunk of events", 200],
])("%s", (_, count) => {
  test("land behind the expected revision and read back as they were", async () => {
    const stream = newStream();
    const [first, second] = [someEvents(count), someEvents(count, count)];
    await store.append(stream, first, noStream);
    const appended = await store.append(stream, second, BigInt(count - 1));
    const read = await all(store.read(stream));
    expect(appended.revision).toBe(BigInt(2 * count - 1));
    expect(appended.position).toEqual(read.at(-1)?.position);
    expect(ids(read)).toEqual(ids([...first, ...second]));
    expect(read.map(({ revision }) => revision)).toEqual(read.map((_event, index) => BigInt(index)));
    expect(read[0]).toMatchObject({ stream, type: first[0]?.type, data: JSON.parse(first[0]?.json ?? ""), metadata: first[0]?.metadata });
    expect(read[0]?.recordedAt.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
  });

  test("sent again at the same revision are acknowledged with their first revision, and are stored once", async () => {
    const stream = newStream();
    const events = someEvents(count);
    const first = await store.append(stream, events, noStream);
    await store.append(stream, someEvents(2), BigInt(count - 1));
    expect(await store.append(stream, events, noStream)).toMatchObject({ revision: first.revision });
    expect(await all(store.read(stream))).toHaveLength(count + 2);
  });

  test("at the wrong revision are refused, and the error names the stream's last revision", async () => {
    const stream = newStream();
    await store.append(stream, someEvents(4), noStream);
    for (const expected of [noStream, 1n, 7n]) {
      const refused = await store.append(stream, someEvents(count), expected).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WrongVersion);
      expect(refused).toMatchObject({ stream, expected, actual: 3n });
    }
    const missing = await store.append(newStream(), someEvents(count), 5n).catch((error: unknown) => error);
    expect(missing).toMatchObject({ name: "WrongVersion", actual: noStream });
  });

  test("are refused as a wrong version when only some of them are in the stream", async () => {
    const stream = newStream();
    const events = someEvents(count);
    await store.append(stream, events.slice(0, count - 1), noStream);
    await expect(store.append(stream, events, noStream)).rejects.toBeInstanceOf(WrongVersion);
    await expect(store.append(stream, [...events.slice(0, count - 2), someEvent()], noStream)).rejects.toBeInstanceOf(WrongVersion);
  });

  test("to a tombstoned stream are refused as StreamDeleted", async () => {
    const stream = newStream();
    await store.append(stream, [someEvent()], noStream);
    await vendor.tombstoneStream(stream);
    await expect(store.append(stream, someEvents(count), 0n)).rejects.toBeInstanceOf(StreamDeleted);
  });

  test.each([700_000, 6_000_000])("with %d bytes in each of two are too large, and the store goes on", async (bytes) => {
    const stream = newStream();
    const events = [someEvent({ text: "x".repeat(bytes) }), someEvent({ text: "x".repeat(bytes) }), ...someEvents(count - 2)];
    const refused = await store.append(stream, events, noStream).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppendTooLarge);
    expect(refused).toMatchObject({ maxBytes: 1_048_576 });
    expect(await store.append(stream, someEvents(count), noStream)).toMatchObject({ revision: BigInt(count - 1) });
  });

  test("keep any Unicode in stream, type and data", async () => {
    const stream = `import-Å 日本 🚚 %2F${newStream()}`;
    const data = { text: 'naïve \u2028 🧾 \\ " \n', deep: [null, { ok: true }] };
    const events = someEvents(count).map((event) => ({ ...event, type: "Zeile📦", json: JSON.stringify(data) }));
    await store.append(stream, events, noStream);
    const read = await all(store.read(stream));
    expect(read).toHaveLength(count);
    expect(read.at(-1)).toMatchObject({ stream, type: "Zeile📦", data });
    const json = vendor.readStream(stream, { maxCount: 1 });
    for await (const { event } of json) expect(event?.isJson).toBe(true);
  });
});

test("many small appends at once share calls, and each gets its own answer", async () => {
  const taken = newStream();
  await store.append(taken, [someEvent()], noStream);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, (_, index) => store.append(index % 3 === 0 ? taken : newStream(), someEvents(1 + (index % 4)), noStream)),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (index % 3 === 0) expect(outcome).toMatchObject({ status: "rejected", reason: { name: "WrongVersion", actual: 0n } });
    else expect(outcome).toMatchObject({ status: "fulfilled", value: { revision: BigInt(index % 4) } });
  }
});

test("an address with throwOnAppendFailure=false changes nothing: a wrong version is still thrown", async () => {
  const lenient = connect(`${node.address}&throwOnAppendFailure=false`);
  onTestFinished(lenient.close);
  const stream = newStream();
  await lenient.append(stream, someEvents(2), noStream);
  await expect(lenient.append(stream, someEvents(1), noStream)).rejects.toMatchObject({ name: "WrongVersion", actual: 1n });
});

test("appending no events throws a TypeError", async () => {
  await expect(store.append(newStream(), [], noStream)).rejects.toThrow(TypeError);
});

describe("reading", () => {
  test("goes forwards from a revision or backwards from the end or a revision, and stops after `max` events", async () => {
    const stream = newStream();
    const events = someEvents(1200);
    await store.append(stream, events.slice(0, 600), noStream);
    await store.append(stream, events.slice(600), 599n);
    expect(ids(await all(store.read(stream, { from: 1190n })))).toEqual(ids(events.slice(1190)));
    expect(ids(await all(store.read(stream, { from: 5n, max: 3 })))).toEqual(ids(events.slice(5, 8)));
    expect(ids(await all(store.read(stream, { backwards: true, max: 2 })))).toEqual(ids(events.slice(-2).reverse()));
    expect(ids(await all(store.read(stream, { backwards: true, from: 1n })))).toEqual(ids(events.slice(0, 2).reverse()));
    expect(await all(store.read(stream, { from: 5000n }))).toEqual([]);
    expect((await store.last(stream))?.id).toBe(events.at(-1)?.id);
  });

  test("an unknown stream holds nothing", async () => {
    expect(await all(store.read(newStream()))).toEqual([]);
    expect(await store.last(newStream())).toBeUndefined();
  });

  test("a hundred reads that are left early do not keep the store from answering", async () => {
    const stream = newStream();
    await store.append(stream, someEvents(500), noStream);
    for (let turn = 0; turn < 100; turn++) for await (const _ of store.read(stream)) break;
    expect((await store.last(stream))?.revision).toBe(499n);
  });

  test("an aborted read throws the reason", async () => {
    const stream = newStream();
    await store.append(stream, someEvents(10), noStream);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(all(store.read(stream, { signal }))).rejects.toThrow("enough");
  });
});
