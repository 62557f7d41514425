// Reads good files with a few bytes changed by both parsers.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { headerXml, workbookParts } from "../adapters/spreadsheets/workbook.js";
import { zip } from "../adapters/spreadsheets/zip.js";
import { mutated } from "./mutation.js";
import { paceOf } from "./pace.js";
import { seeded } from "./randomness.js";
import { firstSeed, runs } from "./scale.js";

let folder: string;
const threads: Worker[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-fuzz-"));
  for (let n = runs === undefined ? 1 : 3; n > 0; n -= 1) {
    threads.push(new Worker(new URL("./machines/parserThread.mjs", import.meta.url), { workerData: { path: join(folder, `file-${n}`) } }));
  }
});
afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
  await rm(folder, { recursive: true, force: true });
});

const parts = workbookParts({
  rows: `${headerXml("a", "b", "c")}<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>46027.5</v></c><c r="C2" t="b"><v>1</v></c></row><row r="4"><c r="A4" t="inlineStr"><is><r><t>x &amp; y</t></r></is></c><c r="B4"><f>1+1</f><v>2</v></c><c r="C4" t="e"><v>#REF!</v></c></row>`,
  strings: "<si><t>one</t></si><si><r><t>two</t></r><rPh><t>p</t></rPh></si>",
  formats: ["yyyy-mm-dd hh:mm"],
});
const archive = zip(parts);
const csv = Buffer.from('sep=;\r\na;b;"c ""d"""\r\n1;"2\r\n3";4\r\n\r\n5;6;é\n');
const sentence = /^[A-Z].*[.)]$/s;
const batch = 200;

interface Read {
  readonly faults: (string | null)[];
  readonly heap: number | null;
}

async function readBy(thread: Worker, contents: readonly Buffer[], weigh: boolean): Promise<number | null> {
  thread.postMessage({ contents, weigh });
  const [{ faults, heap }] = (await once(thread, "message")) as [Read];
  for (const [index, fault] of faults.entries()) {
    if (fault !== null && !sentence.test(fault)) throw new Error(`${fault}\nin ${contents[index]?.toString("base64")}`);
  }
  expect(faults).toHaveLength(contents.length);
  return heap;
}

test("files with some bytes changed are read, or refused with a sentence, by both parsers", { timeout: 24 * 3_600_000 }, async () => {
  const random = seeded(firstSeed + 1);
  const candidate = (): Buffer => {
    if (random.chance(0.7)) return mutated(csv, random);
    if (random.chance(0.5)) return mutated(archive, random);
    const changed = random.number(parts.length);
    // Stored without compression: the bytes are changed before that, so that compressing them would test nothing more.
    return zip(
      parts.map((part, at) => ({
        ...part,
        stored: true,
        ...(at === changed ? { content: mutated(Buffer.from(part.content), random) } : {}),
      })),
    );
  };
  const count = runs === undefined ? 600 : runs * 4_600;
  const told = paceOf("files with bytes changed", count);
  let left = count / batch;
  let done = 0;
  await Promise.all(
    threads.map(async (thread) => {
      const heaps: number[] = [];
      for (let n = 0; left-- > 0; n += 1) {
        const heap = await readBy(thread, Array.from({ length: batch }, candidate), n % 10 === 0);
        if (heap !== null) heaps.push(heap);
        done += batch;
        told(done);
      }
      // The first tenth fills caches and pools.
      const grown = (heaps.at(-1) ?? 0) - (heaps[Math.floor(heaps.length / 10)] ?? 0);
      expect(grown / 1_048_576, "megabytes that the parsers keep").toBeLessThan(16);
    }),
  );
});
