import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, type Poison } from "./expectation.js";
import { textFiles } from "./textFiles.js";
import { goodWorkbook, workbooks } from "./workbooks.js";

/** What is kept counts, not what could have been collected; collecting takes long, so only what seems too much is looked at twice. */
const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

const BOUND = 256 * 1024 * 1024;
const table = [...textFiles, ...workbooks];
let folder: string;
let before: number;

const measured = (): number => {
  collectGarbage();
  return process.memoryUsage.rss();
};
const keptBytes = (): number => {
  const seen = process.memoryUsage.rss() - before;
  return seen < BOUND ? seen : measured() - before;
};

beforeAll(() => {
  before = measured();
  folder = mkdtempSync(join(tmpdir(), "waybill-poison-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function write(content: ReturnType<Poison["content"]>): Promise<string> {
  const path = join(folder, "poison");
  const file = await open(path, "w");
  try {
    for (const piece of typeof content === "string" || content instanceof Uint8Array ? [content] : content) await file.writeFile(piece);
  } finally {
    await file.close();
  }
  return path;
}

describe("a bad file", () => {
  it("comes in many kinds", () => {
    expect(table.length).toBeGreaterThanOrEqual(120);
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
  });

  it.each(table)("$name", async ({ content, fileName = "upload.csv", expect: wanted }) => {
    const path = await write(content());
    if (keptBytes() >= BOUND) before = measured(); // what earlier files of this worker left behind
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, keptBytes());
    }, 100);
    const outcome = await outcomeOf(path, fileName).finally(() => clearInterval(watch));
    if ("fault" in wanted) expect(outcome).toEqual({ fault: expect.stringMatching(wanted.fault) });
    else expect(outcome).toEqual({ faulty: 0, ...wanted });
    expect(Math.max(peak, keptBytes())).toBeLessThan(BOUND);
  });

  it("leaves the process able to read a good one", async () => {
    expect(await outcomeOf(await write(goodWorkbook()), "rows.xlsx")).toEqual({ rows: 1, faulty: 0 });
    expect(await outcomeOf(await write("a,b\n1,2\n"), "rows.csv")).toEqual({ rows: 1, faulty: 0 });
  });
});
