import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Block, endOf } from "../../../src/embedded/eventstore/blocks.js";
import { openJournal } from "../../../src/embedded/eventstore/journal.js";
import { type JournaledStorage, openJournaledStorage } from "../../../src/embedded/eventstore/journaledStorage.js";
import { type IndexEntry, lastEntry, openStorage } from "../../../src/embedded/eventstore/storage.js";
import { createLogOfBlocks } from "./logOfBlocks.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-journaled-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `onTaken` is called when LMDB has something and the journal has it still. */
function open(at: string, journalBytes?: number, onTaken: () => void = () => undefined): Promise<JournaledStorage> {
  const lmdb = openStorage(at);
  const write = async (blocks: readonly Block[]): Promise<void> => {
    await lmdb.write(blocks);
    onTaken();
  };
  return openJournaledStorage({ ...lmdb, write }, openJournal(at, journalBytes));
}

const positions = (found: Iterable<Block | IndexEntry>): number[] => Array.from(found, ({ position }) => position);

/** Every kind of read, from every place where the answer could change, against a list of what was written. */
function expectReadsLike(storage: JournaledStorage, written: readonly Block[]): void {
  storage.refresh();
  const last = written.at(-1);
  expect(storage.isEmpty()).toBe(!last);
  expect(storage.endPosition()).toBe(last ? endOf(last) : 1);
  for (const at of [0, ...written.flatMap(({ position }) => [position, position + 1]), storage.endPosition()]) {
    expect(positions(storage.blocksFrom(at))).toEqual(positions(written.filter((block) => endOf(block) > at)));
    expect(positions(storage.blocksBefore(at))).toEqual(positions(written.filter(({ position }) => position < at)).reverse());
  }
  for (const block of written) expect(storage.block(block.position).bytes.equals(block.bytes)).toBe(true);
  for (const stream of ["a", "b", "never written"]) {
    const own = written.filter((block) => block.stream === stream);
    const head = own.reduce((sum, { count }) => sum + count, 0) - 1;
    expect(lastEntry(storage, stream)).toEqual({ head, tombstoned: false });
    for (let revision = 0; revision <= head + 1; revision++) {
      const following = own.filter((block) => block.revision + block.count > revision);
      expect(positions(storage.entriesFrom(stream, revision))).toEqual(positions(following));
      const preceding = own.filter((block) => block.revision <= revision).reverse();
      expect(positions(storage.entriesBack(stream, revision))).toEqual(positions(preceding));
    }
  }
}

type Step = { does: "append"; stream: string; count: number; bytes: number } | { does: "settle" } | { does: "crash" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant("append" as const),
        stream: fc.constantFrom("a", "b"),
        count: fc.integer({ min: 1, max: 3 }),
        bytes: fc.constantFrom(10, 3_000, 40_000),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ does: "settle" as const }) },
    { weight: 1, arbitrary: fc.constant({ does: "crash" as const }) },
  ),
  { minLength: 1, maxLength: 12 },
);

test("where an event is kept, in the journal or in LMDB, makes no difference to a reader, also while it moves and after a crash", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const own = join(folder, String(run++));
      const log = createLogOfBlocks();
      const written: Block[] = [];
      let settling = false;
      const whileItMoves = (): void => {
        if (settling) expectReadsLike(storage, written);
      };
      let storage = await open(own, 16 * 1024, whileItMoves);
      for (const step of taken) {
        if (step.does === "append") {
          const blocks = log.next(step.stream, step.count, step.bytes);
          await storage.write(blocks);
          written.push(...blocks);
        } else if (step.does === "settle") {
          settling = true;
          await storage.settle();
          settling = false;
        } else {
          await storage.close(); // without settling: what the journal holds is only there
          storage = await open(own, 16 * 1024, whileItMoves);
        }
        expectReadsLike(storage, written);
      }
      await storage.close();
    }),
    { numRuns: 15 },
  );
}, 120_000);

test("a journal that goes on where the log does not end is refused, with what to do", async () => {
  const log = createLogOfBlocks();
  const storage = await open(folder);
  await storage.write(log.next("a", 1, 10));
  await storage.settle();
  await storage.write(log.next("a", 1, 10));
  await storage.close();
  rmSync(join(folder, "events.mdb"));
  const left = openStorage(folder);
  await expect(openJournaledStorage(left, openJournal(folder))).rejects.toThrow("restore both files from one backup");
  await left.close();
});

test("a small append leaves LMDB alone until the journal is full, a large one takes the small ones with it", async () => {
  const log = createLogOfBlocks();
  const lmdb = openStorage(folder);
  const taken: number[] = [];
  const counting = {
    ...lmdb,
    write(blocks: readonly Block[]): Promise<void> {
      taken.push(blocks.length);
      return lmdb.write(blocks);
    },
  };
  const storage = await openJournaledStorage(counting, openJournal(folder, 16 * 1024));
  for (let n = 0; n < 4; n++) await storage.write(log.next("a", 1, 10));
  expect(taken).toEqual([]);
  await storage.write(log.next("a", 1, 10));
  expect(taken).toEqual([5]);
  await storage.write(log.next("a", 1, 10));
  await storage.write(log.next("b", 1, 100_000));
  expect(taken).toEqual([5, 2]);
  await storage.close();
});
