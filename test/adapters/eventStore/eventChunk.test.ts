import { randomUUID } from "node:crypto";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { afterAll, expect, test } from "vitest";
import { createAppender } from "../../../src/adapters/eventStore/appending/append.js";
import { openConnection } from "../../../src/adapters/eventStore/connection.js";
import { encodeAppend } from "../../../src/adapters/eventStore/protocol/batchMessages.js";
import type { NewEvent, StoredEvent } from "../../../src/ports/eventStore.js";

const connection = openConnection("esdb://127.0.0.1:1?tls=false", 1_000); // nothing is sent on it
afterAll(() => connection.close());

const metadata = { organisation: "o", actor: "a", $correlationId: "c", v: 1 };
const eventsNamed = (...names: string[]): NewEvent[] =>
  names.map((name) => ({ id: randomUUID(), type: "RowAccepted", json: JSON.stringify({ name }), metadata }));
const namesIn = (bytes: Buffer) =>
  streams.BatchAppendReq.deserializeBinary(bytes)
    .getProposedMessagesList()
    .map((message) => JSON.parse(Buffer.from(message.getData_asU8()).toString()).name as string);

const position = { commit: 1n, prepare: 1n };
const stored = (revision: bigint, { id, type, json }: NewEvent): StoredEvent => ({
  ...{ stream: "s", revision, position, id, type, metadata, recordedAt: new Date(0) },
  data: JSON.parse(json) as unknown,
});

/** A chunk whose requests are recorded when they are sent. `lost`: how many attempts fail; `there`: the events that a read then finds. */
function chunks({ lost = 0, there = [] as readonly NewEvent[] } = {}) {
  const sent: { bytes: Buffer; copy: Buffer }[] = [];
  let left = lost;
  const { newChunk } = createAppender({
    connection,
    send: async (_, { bytes }) => {
      sent.push({ bytes, copy: Buffer.from(bytes) });
      if (left-- > 0) throw new Error("the connection was lost");
      return { revision: 1n, position };
    },
    read: async function* () {
      yield* there.map((event, index) => stored(BigInt(index), event));
    },
    deadlineMs: 1_000,
    attempts: 3,
    patienceMs: 5_000,
  });
  return { sent, chunk: newChunk("s", 100_000) };
}

test("a chunk's request is that of an append of the same events", async () => {
  const events = eventsNamed("a", "ä", "東京");
  const { chunk, sent } = chunks();
  for (const event of events) chunk.add(event);
  await chunk.append(7n);
  const proposed = (bytes: Buffer | undefined) =>
    streams.BatchAppendReq.deserializeBinary(bytes as Buffer)
      .getProposedMessagesList()
      .map((message) => Buffer.from(message.serializeBinary()).toString("hex"));
  expect(proposed(sent[0]?.copy)).toEqual(proposed(encodeAppend("s", events, 7n, 1e6)?.bytes));
});

test("an acknowledged chunk is empty and takes other events", async () => {
  const { chunk, sent } = chunks();
  for (const names of [["a", "b"], ["c"], ["d", "e", "f"]]) {
    for (const event of eventsNamed(...names)) chunk.add(event);
    expect(chunk.count()).toBe(names.length);
    await chunk.append(0n);
    expect(namesIn(sent.at(-1)?.copy as Buffer)).toEqual(names);
  }
  expect(chunk.count()).toBe(0);
  await expect(chunk.append(0n)).rejects.toThrow("nothing to append");
});

test("events added after a chunk was sent twice do not change the bytes of the first attempt, which may still be on its way", async () => {
  const events = eventsNamed("a", "b");
  const { chunk, sent } = chunks({ lost: 1, there: events });
  for (const event of events) chunk.add(event);
  expect(await chunk.append(-1n)).toEqual({ revision: 1n, position });
  for (const event of eventsNamed("c", "d", "e")) chunk.add(event);
  await chunk.append(1n);
  expect(sent.map(({ copy }) => namesIn(copy))).toEqual([
    ["a", "b"],
    ["a", "b"],
    ["c", "d", "e"],
  ]);
  expect(sent[0]?.bytes.equals(sent[0].copy)).toBe(true);
});

test("a chunk of unknown outcome is refused as a wrong version when the stream holds other events in its place", async () => {
  const { chunk } = chunks({ lost: 1, there: eventsNamed("a", "b") });
  for (const event of eventsNamed("a", "b")) chunk.add(event);
  await expect(chunk.append(-1n)).rejects.toMatchObject({ name: "WrongVersion" });
});
