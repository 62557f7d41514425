import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headerXml, workbookParts } from "../adapters/spreadsheets/workbook.js";
import { zip } from "../adapters/spreadsheets/zip.js";
import { paceOf } from "../faults/pace.js";
import { firstSeed, runs } from "../faults/scale.js";
import { createReader } from "./readingProcess.js";

let folder: string;
let path: string;
let descriptor: number;
const reader = createReader();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-mutations-"));
  path = join(folder, "mutant");
  descriptor = openSync(path, "w+");
});
afterAll(async () => {
  await reader.close();
  closeSync(descriptor);
  rmSync(folder, { recursive: true, force: true });
});

const parts = workbookParts({
  rows: `${headerXml("a", "b", "c")}<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>46027.5</v></c><c r="C2" t="b"><v>1</v></c></row><row r="4"><c r="A4" t="inlineStr"><is><r><t>x &amp; y</t></r></is></c><c r="B4"><f>1+1</f><v>2</v></c><c r="C4" t="e"><v>#REF!</v></c></row>`,
  strings: "<si><t>one</t></si><si><r><t>two</t></r><rPh><t>p</t></rPh></si>",
  formats: ["yyyy-mm-dd hh:mm"],
});
/** The three tests read four times as many files in all, which is 400 for each run of the long form. */
const RUNS = runs === undefined ? 80 : 100 * runs;
const seeding = runs === undefined ? {} : { seed: firstSeed };
const told = paceOf("files by fast-check", 4 * RUNS);
let done = 0;
const csv = Buffer.from('sep=;\r\na;b;"c ""d"""\r\n1;"2\r\n3";4\r\n\r\n5;6;é\n');

/** A change that replaces, inserts or removes bytes, or cuts off the rest. */
const change = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("replace", "insert", "remove", "cut"),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
});
const changes = fc.array(change, { minLength: 1, maxLength: 4 });

function changed(content: Uint8Array, list: readonly { at: number; kind: string; bytes: Uint8Array }[]): Buffer {
  return list.reduce((bytes, { at, kind, bytes: piece }) => {
    const start = bytes.length === 0 ? 0 : at % bytes.length;
    const before = bytes.subarray(0, start);
    if (kind === "cut") return Buffer.from(before);
    const after = bytes.subarray(start + (kind === "insert" ? 0 : piece.length));
    return Buffer.concat(kind === "remove" ? [before, after] : [before, piece, after]);
  }, Buffer.from(content));
}

/** The content must be read, or refused with a sentence. `read` throws for any error but a FileFault. */
async function survives(content: Uint8Array): Promise<void> {
  // The file is overwritten in place: emptying and refilling it makes some file systems write it to the disk each time.
  ftruncateSync(descriptor, content.length);
  writeSync(descriptor, content, 0, content.length, 0);
  const { outcome } = await reader.read(path, "mutant");
  done += 1;
  told(done);
  if ("fault" in outcome) expect(outcome.fault).toMatch(/^[A-Z].*[.)]$/s);
  else expect(outcome.rows).toBeLessThan(100);
}

describe("a good file with some bytes changed is read, or refused with a sentence, and never causes another error:", () => {
  it("CSV", { timeout: 24 * 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(changes, (list) => survives(changed(csv, list))),
      { numRuns: RUNS, ...seeding },
    );
  });

  it("XLSX, with bytes of the archive changed", { timeout: 24 * 3_600_000 }, async () => {
    const archive = zip(parts);
    await fc.assert(
      fc.asyncProperty(changes, (list) => survives(changed(archive, list))),
      { numRuns: RUNS, ...seeding },
    );
  });

  it("XLSX, with bytes of a part changed before packing", { timeout: 24 * 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(parts.length - 1), changes, (index, list) =>
        survives(
          zip(
            parts.map((part, at) =>
              at === index
                ? { ...part, stored: true, content: changed(Buffer.from(part.content as string), list) }
                : { ...part, stored: true },
            ),
          ),
        ),
      ),
      { numRuns: 2 * RUNS, ...seeding },
    );
  });
});
