import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_INT64 } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { encodeBlocks, newEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { type Block, endOf, type NewBlock } from "../../../../src/embedded/eventstore/log/blocks.js";
import { completeIndex } from "../../../../src/embedded/eventstore/log/startStorage.js";
import { openStorage, openTables, type Storage } from "../../../../src/embedded/eventstore/log/storage.js";

const streams = ["a", "b", "$$a", "quote-1"];
let folder: string;
let storage: Storage;
let written: NewBlock[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-storage-"));
  written = [];
});

afterEach(async () => {
  await storage?.close();
  rmSync(folder, { recursive: true, force: true });
});

const placesOf = (blocks: Iterable<Block>) => [...blocks].map(({ revision, count, position }) => ({ revision, count, position }));
const placesIn = (stream: string) => placesOf(written.filter((block) => block.stream === stream));

function blockOf(stream: string, events: number, bytes: number, before: readonly Block[], at?: number): NewBlock {
  const last = [...written, ...before].at(-1);
  const mine = [...written, ...before].filter((block) => block.stream === stream).at(-1);
  const id = "00000000-0000-4000-8000-000000000000";
  const event = newEvent({ id, type: "t", data: Buffer.alloc(bytes) });
  const position = last ? endOf(last) : 1;
  const revision = at ?? (mine ? mine.revision + mine.count : 0);
  const [block] = encodeBlocks({ stream, events: Array.from({ length: events }, () => event), position, revision, createdAt: 0 });
  if (!block) throw new Error("no block");
  return block;
}

async function write(...parts: [stream: string, events: number, bytes: number][]): Promise<void> {
  const blocks: NewBlock[] = [];
  for (const part of parts) blocks.push(blockOf(...part, blocks));
  await storage.write(blocks);
  written.push(...blocks);
}

function expectEverythingFound(): void {
  storage.refresh();
  for (const stream of streams) {
    const entries = placesIn(stream);
    const last = entries.at(-1);
    const head = last ? last.revision + last.count - 1 : -1;
    expect(storage.headOf(stream)).toBe(head);
    for (let revision = 0; revision <= head + 1; revision++) {
      const from = entries.filter((entry) => entry.revision + entry.count > revision);
      if (revision <= head) expect(placesOf(storage.streamBlocksFrom(stream, revision))).toEqual(from);
      const back = entries.filter((entry) => entry.revision <= revision).reverse();
      expect(placesOf(storage.streamBlocksBack(stream, revision))).toEqual(back);
    }
  }
  expect(storage.endPosition()).toBe(written.length > 0 ? endOf(written.at(-1) as Block) : 1);
}

test("every block is found by stream and revision, also after restarts at any point", async () => {
  const part = fc.tuple(fc.constantFrom(...streams), fc.integer({ min: 1, max: 3 }), fc.constantFrom(1, 30_000));
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
    const own = mkdtempSync(join(folder, "run-"));
    written = [];
    storage = openStorage(own);
    try {
      for (const parts of steps) {
        if (parts) await write(...parts);
        else {
          await storage.close();
          storage = openStorage(own);
        }
        expectEverythingFound();
      }
    } finally {
      await storage.close();
    }
  });
  await fc.assert(property, { numRuns: 40 });
});

test("a tombstone stays a stream's last block", async () => {
  storage = openStorage(folder);
  await write(["a", 2, 1]);
  const tombstone = blockOf("a", 1, 1, [], MAX_INT64);
  await storage.write([tombstone]);
  written.push(tombstone);
  storage.refresh();
  expect(storage.headOf("a")).toBe(MAX_INT64);
  await write(["b", 1, 1]);
  storage.refresh();
  expect(storage.headOf("a")).toBe(MAX_INT64);
  expect([...storage.streamBlocksBack("a", Number.MAX_VALUE)]).toHaveLength(2);
});

/** Changes the folder to what an earlier version leaves: the last blocks are not in the index. */
async function leaveOutOfIndex(blocks: readonly Block[]): Promise<void> {
  const { root, index } = openTables(folder);
  const missing = new Set(blocks.map(({ position }) => position));
  await root.transaction(() => {
    for (const { key, value } of [...index.getRange({})]) if (missing.has(value.readDoubleBE(0))) void index.remove(key);
  });
  await root.close();
}

test("the index of a folder of an earlier version, which added blocks to the index later, is completed, and the folder is used on", async () => {
  storage = openStorage(folder);
  for (const stream of ["a", "a", "b", "quote-1", "a"]) await write([stream, 2, 1]);
  await storage.close();
  await leaveOutOfIndex(written.slice(2));
  storage = openStorage(folder);
  expect(storage.headOf("b")).toBe(-1); // without the missing index entries
  completeIndex(storage.tables);
  expectEverythingFound();
  await write(["b", 1, 1]);
  await storage.close();
  storage = openStorage(folder);
  completeIndex(storage.tables);
  expectEverythingFound();
});

test("blocks that the folder's previous owner wrote after this process opened the folder are found", async () => {
  const last = openStorage(folder);
  storage = last;
  await write(["a", 1, 1]);
  const next = openStorage(folder);
  await write(["a", 1, 1]);
  await last.close();
  storage = next;
  expectEverythingFound();
  await write(["a", 1, 1], ...Array.from({ length: 20 }, (): [string, number, number] => ["b", 1, 1]));
  expectEverythingFound();
});

test("during a large write every earlier block is found once", async () => {
  storage = openStorage(folder);
  for (let n = 0; n < 300; n++) await write(["a", 1, 1]);
  const large = blockOf("b", 1, 200_000, []);
  let isDone = false;
  const writing = storage.write([large])?.then(() => {
    isDone = true;
  });
  for (let looks = 0; !isDone || looks === 0; looks++) {
    storage.refresh();
    expect([...storage.streamBlocksFrom("a", 0)].map(({ revision }) => revision)).toEqual(written.map(({ revision }) => revision));
    expect([...storage.streamBlocksBack("a", 299)]).toHaveLength(300);
    await new Promise(setImmediate);
  }
  await writing;
  written.push(large);
  expectEverythingFound();
});
