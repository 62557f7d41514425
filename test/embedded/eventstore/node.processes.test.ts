import { BACKWARDS, END, type EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { collect, numbered, numberOf, useEventStore } from "./events.js";

let client: EventStoreDBClient;
useEventStore((started) => {
  ({ client } = started);
});

test("an event is read as it was appended", async () => {
  const sent = jsonEvent({ type: "Noted", data: { text: "Grüße, 世界" }, metadata: { by: "test" } });
  const before = Date.now();
  await client.appendToStream("notes-1", sent, { expectedRevision: NO_STREAM });
  const [read] = await collect(client.readStream("notes-1"));
  const { id, type, data, metadata } = sent;
  expect(read).toMatchObject({ id, type, data, metadata, revision: 0n, isJson: true, streamId: "notes-1" });
  expect(Math.abs((read?.created.getTime() ?? 0) - before)).toBeLessThan(60_000);
});

test("an append's position is that of its last event, read from the stream and from $all", async () => {
  const { position } = await client.appendToStream("placed", numbered(0, 5));
  const [last] = await collect(client.readStream("placed", { direction: BACKWARDS, fromRevision: END, maxCount: 1 }));
  expect(last?.position).toEqual(position);
  if (!position) throw new Error("no position");
  const [found] = await collect(client.readAll({ fromPosition: position, maxCount: 1 }));
  expect(found).toEqual(last);
});

test("$all begins with an event of the store's own", async () => {
  const [first] = await collect(client.readAll({ maxCount: 1 }));
  expect(first?.streamId).toMatch(/^\$/);
});

test("a thousand appends at once to one stream all land, each at its own revision", async () => {
  const results = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => client.appendToStream("flood", numbered(n, 1, { pad: "A".repeat(900) }))),
  );
  const events = await collect(client.readStream("flood"));
  expect(events.map(numberOf).toSorted((a, b) => a - b)).toEqual(results.map((_, n) => n));
  expect(results.map(({ nextExpectedRevision }) => Number(nextExpectedRevision)).toSorted((a, b) => a - b)).toEqual(
    results.map((_, n) => n),
  );
});

test.each([2n ** 63n - 1n, 2n ** 63n + 1n, 2n ** 64n - 1n])(
  "an append that expects revision %i, which no stream can have, is a wrong version",
  async (expectedRevision) => {
    await expect(client.appendToStream("short", numbered(0, 1), { expectedRevision })).rejects.toMatchObject({
      type: "wrong-expected-version",
    });
  },
);

test("of fifty appends at the same revision at once, exactly one succeeds", async () => {
  await client.appendToStream("contended", numbered(0, 1), { expectedRevision: NO_STREAM });
  const tries = Array.from({ length: 50 }, (_, n) => client.appendToStream("contended", numbered(n, 2), { expectedRevision: 0n }));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ type: "wrong-expected-version", actualVersion: 2n });
  expect(await collect(client.readStream("contended"))).toHaveLength(3);
});

test("the same append sent many times at once is acknowledged each time and lands once", async () => {
  const events = numbered(0, 3);
  const tries = Array.from({ length: 20 }, () => client.appendToStream("repeated", events, { expectedRevision: NO_STREAM }));
  expect((await Promise.all(tries)).map(({ nextExpectedRevision }) => nextExpectedRevision)).toEqual(tries.map(() => 2n));
  expect(await collect(client.readStream("repeated"))).toHaveLength(3);
});
