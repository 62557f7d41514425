import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Block } from "../../../src/embedded/eventstore/blocks.js";
import { openJournal } from "../../../src/embedded/eventstore/journal.js";
import { createLogOfBlocks } from "./logOfBlocks.js";

const SIZE = 128 * 1024;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-journal-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a node that starts now finds in it. */
function found(): string[][] {
  const journal = openJournal(folder, SIZE);
  const groups = journal.groups();
  journal.close();
  return groups.map(told);
}

const told = (blocks: readonly Block[]): string[] =>
  blocks.map(({ stream, revision, position, bytes }) => `${stream}@${revision} at ${position}: ${bytes.toString("base64")}`);

test("what was appended since it began anew is found, whatever it held before", async () => {
  const groupSizes = fc.array(fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 3 }), { maxLength: 6 });
  const log = createLogOfBlocks();
  await fc.assert(
    fc.asyncProperty(fc.array(groupSizes, { minLength: 1, maxLength: 3 }), async (rounds) => {
      const journal = openJournal(folder, SIZE);
      let written: Block[][] = [];
      for (const round of rounds.filter((groups) => groups.length > 0)) {
        journal.beginAnew();
        written = [];
        for (const sizes of round) {
          const group = sizes.flatMap((bytes) => log.next("s", 1, bytes));
          if (!journal.hasRoom(group)) continue;
          await journal.append(group);
          written.push(group);
        }
      }
      journal.close();
      if (written.length > 0) expect(found()).toEqual(written.map(told));
    }),
    { numRuns: 30 },
  );
});

test("a record that was cut short or changed anywhere is none, and those before it are whole", async () => {
  const log = createLogOfBlocks();
  const journal = openJournal(folder, SIZE);
  const kept = [log.next("a", 1, 50), log.next("b", 3, 5_000)];
  for (const group of kept) await journal.append(group);
  const before = readFileSync(join(folder, "journal"));
  await journal.append([...log.next("a", 1, 9_000), ...log.next("c", 1, 10)]);
  const after = readFileSync(join(folder, "journal"));
  journal.close();
  expect(found()).toHaveLength(3);

  const changed = after.map((byte, index) => (byte === before[index] ? 0 : 1));
  const [first, last] = [changed.indexOf(1), changed.lastIndexOf(1)];
  for (let at = first; at <= last; at += 97) {
    const cut = Buffer.concat([after.subarray(0, at), before.subarray(at)]);
    const flipped = Buffer.from(after);
    flipped[at] = (flipped[at] as number) ^ 0x10;
    for (const bytes of [cut, flipped]) {
      writeFileSync(join(folder, "journal"), bytes);
      expect(found()).toEqual(kept.map(told));
    }
  }
});

test("a file that was cut short when it was made, or is not there, is an empty one", () => {
  expect(found()).toEqual([]);
  writeFileSync(join(folder, "journal"), Buffer.alloc(100));
  expect(found()).toEqual([]);
  expect(readFileSync(join(folder, "journal"))).toHaveLength(SIZE);
});

test("no room is told before anything is written", async () => {
  const log = createLogOfBlocks();
  const journal = openJournal(folder, SIZE);
  expect(journal.hasRoom(log.next("large", 1, 100_000))).toBe(false);
  let records = 0;
  for (; journal.hasRoom(log.next("small", 1, 10)); records++) await journal.append(log.next("small", 1, 10));
  expect(records).toBe(SIZE / 4096);
  journal.beginAnew();
  expect(journal.hasRoom(log.next("small", 1, 10))).toBe(true);
  journal.close();
});
