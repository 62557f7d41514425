import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHeaderThreads } from "../../../../src/adapters/spreadsheets/threads/headerThreads.js";
import { readHeader } from "../../../../src/adapters/spreadsheets/uploadedFile.js";
import { withFile } from "../reading.js";
import { headerXml, workbook } from "../workbook.js";
import type { ZipPart } from "../zip.js";

let threads: ReturnType<typeof createHeaderThreads>;
let folder: string;
/** A workbook whose header text comes after 80,000 others in the table of texts. Reading it takes a good part of a second. */
let heavy: string;
let light: string;
/** A pipe that nobody writes to: reading it holds a thread until `letGo`, and then fails. */
let held: string;
const writers: number[] = [];
const letGo = () => void writers.push(openSync(held, constants.O_RDWR));

const start = (options?: Parameters<typeof createHeaderThreads>[0]) => {
  threads = createHeaderThreads(options);
  return threads;
};
const read = (path: string, organisationId = "a") => threads.readHeader(organisationId, { path, name: "rows" });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-threads-"));
  [heavy, light] = [join(folder, "heavy"), join(folder, "light")];
  const rows = '<row r="1"><c r="A1" t="s"><v>80000</v></c></row>';
  await writeFile(heavy, workbook({ rows, strings: `${"<si><t>a</t></si>".repeat(80_000)}<si><t>last</t></si>` }));
  await writeFile(light, "a\n");
});
afterAll(() => {
  for (const writer of writers) closeSync(writer);
  return rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  held = join(folder, randomUUID());
  execFileSync("mkfifo", [held]);
});
afterEach(async () => {
  letGo(); // a thread that is held cannot be ended
  await threads?.close();
});

describe("header rows read in threads", () => {
  it.each([
    ["CSV", "a,b\n1,2\n", ["a", "b"]],
    ["XLSX", workbook({ rows: headerXml("a", "b") }), ["a", "b"]],
  ])("of a %s file are the same as when this thread reads them", async (_, content, columns) => {
    start();
    await withFile(content, async (path) => {
      const found = await read(path);
      expect(found.columns).toEqual(columns);
      expect(found).toEqual(await readHeader(path, "rows"));
    });
  });

  it("fail with the file's fault, or with the error of reading the disk", async () => {
    start();
    await expect(withFile("\n\n", (path) => read(path))).rejects.toMatchObject({
      name: "FileFault",
      message: "The file is empty: it has no header row.",
    });
    await expect(read("/nowhere")).rejects.toThrow("ENOENT");
  });

  it("leave this thread free", async () => {
    start();
    await read(light); // starts the thread
    const busyMs = async (work: () => Promise<unknown>) => {
      const before = performance.eventLoopUtilization();
      await work();
      return performance.eventLoopUtilization(before).active;
    };
    let [here, there] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]; // the least of each counts: a busy machine only adds to it
    for (let n = 0; n < 6 && !(there < here / 3); n += 1) {
      here = Math.min(here, await busyMs(() => readHeader(heavy, "rows")));
      there = Math.min(there, await busyMs(() => read(heavy)));
    }
    expect(there).toBeLessThan(here / 3);
  });

  it("of one organisation do not hold up another's", async () => {
    start({ runMs: 60_000, waitMs: 60_000 });
    let ended = 0;
    const greedy = Array.from({ length: 6 }, () => read(held, "greedy").finally(() => (ended += 1)));
    const outcomes = Promise.allSettled(greedy);
    for (const { columns } of await Promise.all(["b", "c"].map((id) => read(light, id)))) expect(columns).toEqual(["a"]);
    expect(ended).toBe(0);
    letGo();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("ESPIPE") } });
  });

  it("that take too long are given up with a fault; with a longer limit another file is read", async () => {
    start({ runMs: 20, threads: 1 });
    await expect(read(held)).rejects.toMatchObject({
      name: "FileFault",
      message: "The header row could not be read within 0.02 seconds. Upload the file again; if it is a workbook, save it as .csv first.",
    });
    await threads.close();
    start({ runMs: 1, threads: 1 });
    await expect(read(heavy)).rejects.toMatchObject({ name: "FileFault" }); // a thread that computes is given up as well
    await threads.close();
    start({ runMs: 60_000, threads: 1 });
    expect((await read(light)).columns).toEqual(["a"]);
  });

  it("that wait too long for a thread fail as TooBusy", async () => {
    start({ threads: 1, waitMs: 20, runMs: 60_000 });
    const first = expect(read(held)).rejects.toThrow("ESPIPE");
    await expect(read(light)).rejects.toMatchObject({ name: "TooBusy" });
    letGo();
    await first;
  });
});

describe("a workbook's header row", () => {
  it.each([
    [63, true],
    [65, false],
  ])("whose text comes after %i MB of other texts is read: %s", async (megabytes, taken) => {
    const rows = `<row r="1"><c r="A1" t="s"><v>${32 * megabytes}</v></c></row>`;
    const filler = `<si><t>${"x".repeat(32 * 1024 - 16)}</t></si>`;
    const strings = `${filler.repeat(32 * megabytes)}<si><t>last</t></si>`;
    // Compressed, the file would be refused for its compression ratio.
    const edit = (parts: ZipPart[]) => parts.map((part) => ({ ...part, stored: true }));
    const found = withFile(workbook({ rows, strings, edit }), (path) => readHeader(path, "rows"));
    if (taken) expect((await found).columns).toEqual(["last"]);
    else await expect(found).rejects.toThrow("The header row cannot be read from the first 64 MB of the workbook's content.");
  });
});
