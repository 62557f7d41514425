import { binaryEvent, type EventStoreDBClient, jsonEvent, START, streamNameFilter } from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { collect, useEventStore } from "./events.js";

const LIMIT = 1024 * 1024;
const paths: [string, object][] = [
  ["batch", {}],
  ["classic", { credentials: { username: "admin", password: "changeit" } }],
];

let client: EventStoreDBClient;
useEventStore((started) => {
  ({ client } = started);
});

/** An event with this many bytes of data. The server's limit counts the data only. */
const sized = (bytes: number) => binaryEvent({ type: "a-type", data: new Uint8Array(bytes).fill(7), metadata: new Uint8Array(10).fill(1) });

describe.each(paths)("on the %s path", (path, options) => {
  test.each([
    ["one byte under the limit", -1],
    ["at the limit", 0],
  ])("an append %s is accepted and read back whole", async (name, difference) => {
    const event = sized(LIMIT + difference);
    const stream = `limit-${path}-${name}`;
    await client.appendToStream(stream, event, options);
    const [read] = await collect(client.readStream(stream));
    expect(Buffer.compare(Buffer.from(read?.data as Uint8Array), Buffer.from(event.data))).toBe(0);
  });

  test("an append one byte over the limit is refused with the limit, and nothing of it is stored", async () => {
    const stream = `over-${path}`;
    const refused = { type: "maximum-append-size-exceeded", maxAppendSize: LIMIT };
    await expect(client.appendToStream(stream, sized(LIMIT + 1), options)).rejects.toMatchObject(refused);
    await expect(client.appendToStream(stream, [sized(LIMIT / 2), sized(LIMIT / 2 + 1)], options)).rejects.toMatchObject(refused);
    await expect(
      client.appendToStream(
        stream,
        Array.from({ length: 9 }, () => sized(LIMIT)),
        options,
      ),
    ).rejects.toMatchObject(refused);
    await expect(collect(client.readStream(stream))).rejects.toMatchObject({ type: "stream-not-found" });
    await client.appendToStream(stream, [sized(LIMIT / 2), sized(LIMIT / 2)], options);
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  test("an event larger than a message may be ends the call, and the next append works", async () => {
    await expect(client.appendToStream(`huge-${path}`, sized(10 * LIMIT), options)).rejects.toMatchObject({
      type: "maximum-append-size-exceeded",
    });
    await expect(client.appendToStream(`huge-${path}`, sized(16 * LIMIT), options)).rejects.toMatchObject({ type: "unknown" });
    await client.appendToStream(`huge-${path}`, sized(1), options);
    expect(await collect(client.readStream(`huge-${path}`))).toHaveLength(1);
  });

  test("events with one byte and with no data are read back", async () => {
    const events = [binaryEvent({ type: "t", data: new Uint8Array([65]) }), binaryEvent({ type: "t", data: new Uint8Array() })];
    await client.appendToStream(`tiny-${path}`, events, options);
    const read = await collect(client.readStream(`tiny-${path}`));
    expect(read.map(({ data }) => [...(data as Uint8Array)])).toEqual([[65], []]);
    expect(read.map(({ metadata }) => metadata)).toEqual([undefined, undefined]);
  });

  test.each([
    ["accents, Chinese, emoji", "Grüße 世界 🚚", "Größe✓"],
    ["signs", "a b/c?d=e&f#g%20\\\"'", "type with spaces/and?signs"],
    ["control characters", "control\u0001\u007fand nul\u0000", "t\u0000t"],
    ["right to left, combining, joined", "عربى‏ e\u0301 \u{1F468}\u200D\u{1F469}", "\u{10FFFF}"],
    ["very long", "n".repeat(5_000), "T".repeat(3_000)],
  ])("a stream name and an event type may have any characters: %s", async (_, name, type) => {
    const stream = `${name}-${path}`;
    await client.appendToStream(stream, jsonEvent({ type, data: { type } }), { expectedRevision: "no_stream", ...options });
    const [read] = await collect(client.readStream(stream));
    expect([read?.streamId, read?.type, read?.data]).toEqual([stream, type, { type }]);
    const seen: string[] = [];
    const subscription = client.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ prefixes: [stream] }) });
    subscription.on("data", ({ event }) => event && seen.push(event.type));
    await eventually(() => seen.length > 0, "the event on a subscription by its stream's name");
    await subscription.unsubscribe();
    expect(seen).toEqual([type]);
  });
});

test("forty appends of a megabyte at once are all accepted", async () => {
  const appends = Array.from({ length: 40 }, (_, n) => client.appendToStream(`heavy-${n % 4}`, sized(LIMIT - 1)));
  expect(await Promise.all(appends)).toHaveLength(40);
  for (let n = 0; n < 4; n++) expect(await collect(client.readStream(`heavy-${n}`))).toHaveLength(10);
});
