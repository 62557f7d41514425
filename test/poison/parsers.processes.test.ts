import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Poison } from "./expectation.js";
import { createReader } from "./readingProcess.js";
import { textFiles } from "./textFiles.js";
import { goodWorkbook, workbooks } from "./workbooks.js";

const BOUND = 256 * 1024 * 1024;
const table = [...textFiles, ...workbooks];
let folder: string;
const reader = createReader();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waybill-poison-"));
});
afterAll(async () => {
  await reader.close();
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
  it("is tested in at least 120 kinds, each with its own name", () => {
    expect(table.length).toBeGreaterThanOrEqual(120);
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
  });

  it.each(table)("$name", async ({ content, fileName = "upload.csv", expect: wanted }) => {
    const path = await write(content());
    const { outcome, grownBytes } = await reader.read(path, fileName);
    if ("fault" in wanted) expect(outcome).toEqual({ fault: expect.stringMatching(wanted.fault) });
    else expect(outcome).toEqual({ faulty: 0, ...wanted });
    expect(grownBytes).toBeLessThan(BOUND);
  });

  it("leaves the process able to read good files", async () => {
    const read = async (content: Uint8Array | string, name: string) => (await reader.read(await write(content), name)).outcome;
    expect(await read(goodWorkbook(), "rows.xlsx")).toEqual({ rows: 1, faulty: 0 });
    expect(await read("a,b\n1,2\n", "rows.csv")).toEqual({ rows: 1, faulty: 0 });
  });
});
