import { expect, test } from "vitest";
import { countRejectedInStream, readRowEvents, readStartedEvent, rowsBefore } from "../../src/events/importLayout.js";
import type { EventStore, StoredEvent } from "../../src/ports/eventStore.js";

test.each([
  ["ImportRequested", 0n, 0],
  ["ImportStarted, or the end of an import that never started", 1n, 0],
  ["the first row, or the end of an import without rows", 2n, 0],
  ["the second row, or the end of an import with one row", 3n, 1],
  ["the end of an import with 850,000 rows", 850_002n, 850_000],
])("before %s stand its rows alone", (_, revision, rows) => {
  expect(rowsBefore(revision)).toBe(rows);
});

/** A store that reads a stream of these types; nothing else of a store is needed. */
function storeOf(...types: string[]): EventStore {
  const at = "2026-03-01T00:00:00.000Z";
  const by = { kind: "worker", id: "w1" };
  const data = { importId: "i1", by, catalogueVersion: 3, localities: {}, at, reason: "", progress: 0 };
  const events = types.map((type, index) => ({ type, revision: BigInt(index), data, metadata: { v: 2 } }) as unknown as StoredEvent);
  async function* read(_stream: string, { from = 0n, max = events.length }: { from?: bigint; max?: number } = {}) {
    yield* events.slice(Number(from), Number(from) + max);
  }
  return { read } as unknown as EventStore;
}

test("the started event is found at its place, and not where the import ended before it started", async () => {
  expect((await readStartedEvent(storeOf("ImportRequested", "ImportStarted", "ImportFailed"), "i1"))?.data.catalogueVersion).toBe(3);
  expect(await readStartedEvent(storeOf("ImportRequested", "ImportCancelled"), "i1")).toBeUndefined();
  expect(await readStartedEvent(storeOf("ImportRequested"), "i1")).toBeUndefined();
});

test("rows are read from the first one on, and the rejected ones are counted within a range", async () => {
  const store = storeOf("ImportRequested", "ImportStarted", "RowRejected", "RowAccepted", "RowRejected", "ImportFailed");
  const types: string[] = [];
  for await (const { type } of readRowEvents(store, "i1")) types.push(type);
  expect(types).toEqual(["RowRejected", "RowAccepted", "RowRejected", "ImportFailed"]);
  expect(await countRejectedInStream(store, "i1")).toBe(2);
  expect(await countRejectedInStream(store, "i1", { from: 3n, max: 1 })).toBe(0);
});
