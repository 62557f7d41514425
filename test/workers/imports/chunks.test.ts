import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createAppender } from "../../../src/adapters/eventStore/appending/append.js";
import { openConnection } from "../../../src/adapters/eventStore/connection.js";
import { encode } from "../../../src/events/codec.js";
import { type EventChunk, type NewEvent, noStream } from "../../../src/ports/eventStore.js";
import { createEventWriter } from "../../../src/workers/imports/importing/recordRows.js";

const connection = openConnection("esdb://127.0.0.1:1?tls=false", 1_000); // nothing is sent on it
afterAll(() => connection.close());

const mebibyte = 1024 * 1024;

let sent: number[] = [];

/** An event store that sends nothing and notes the size of each append request. */
const measuring = createAppender({
  connection,
  send: async (_, { bytes }) => {
    sent.push(bytes.length);
    return { revision: BigInt(bytes.length), position: { commit: 0n, prepare: 0n } };
  },
  read: async function* () {},
  deadlineMs: 1_000,
  attempts: 1,
  patienceMs: 1_000,
});

const importId = "018f0000-0000-7000-8000-000000000001";
/** Writes events until the first chunk is full. Returns how many events it has and its size. */
async function firstChunk(event: (nth: number) => NewEvent): Promise<{ count: number; bytes: number }> {
  const writer = createEventWriter({
    eventStore: measuring,
    loaded: { importId, revision: noStream },
    check: () => undefined,
    onAppended: () => undefined,
  });
  sent = [];
  let count = 0;
  for (let full = writer.add(event(0)); !full; full = writer.add(event(count))) count += 1;
  await writer.waitForAppend();
  return { count, bytes: sent[0] ?? 0 };
}

test("a full chunk fits into one append, whatever its rows and metadata, and has 2,000 rows or over three quarters of the size limit", async () => {
  const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 2_000 }), fc.constant("\u0001".repeat(900)));
  const given = fc.tuple(fc.array(text, { minLength: 1, maxLength: 20 }), fc.string({ maxLength: 300 }));
  await fc.assert(
    fc.asyncProperty(given, async ([texts, organisation]) => {
      const context = { organisation, by: { kind: "worker", id: "w" } as const, correlationId: randomUUID() };
      const { count, bytes } = await firstChunk((row) =>
        encode("RowAccepted", { row, values: { text: texts[row % texts.length] } }, context, randomUUID()),
      );
      expect(bytes).toBeLessThanOrEqual(mebibyte);
      expect(count === 2_000 || bytes > 0.75 * mebibyte).toBe(true);
    }),
    { numRuns: 30 },
  );
});

const sizeOf = async (chunk: EventChunk) => Number((await chunk.append(noStream)).revision);
const context = { organisation: "o", by: { kind: "worker", id: "w" } as const, correlationId: "c" };
const ofSize = (size: number) => encode("RowAccepted", { row: 2, values: { text: "x".repeat(size) } }, context, randomUUID());

test("a row that is larger than the limit is a chunk of its own, which takes no second row", async () => {
  const { count, bytes } = await firstChunk((nth) => ofSize(nth === 0 ? 2 * mebibyte : 1));
  expect(count).toBe(1);
  expect(bytes).toBeGreaterThan(2 * mebibyte);
});

test("a chunk takes rows up to its limit, and no row that would exceed it", async () => {
  const limit = 2_000;
  const twoOf = (size: number) => {
    const chunk = measuring.newChunk("import-1", limit);
    chunk.add(ofSize(500));
    return { chunk, both: chunk.add(ofSize(size)) };
  };
  let size = 500;
  while (twoOf(size).both) size += 1;
  const fits = await sizeOf(twoOf(size - 1).chunk);
  expect(fits).toBeLessThanOrEqual(limit);
  expect(fits).toBeGreaterThan(limit - 128); // some bytes are kept for the longest revision
  expect(twoOf(size).chunk.count()).toBe(1);
});
