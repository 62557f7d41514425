import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readFileRows } from "../../../src/adapters/spreadsheets/uploadedFile.js";
import { withFile } from "./reading.js";
import { headerXml, workbook } from "./workbook.js";

const openFiles = async () => (await readdir("/proc/self/fd")).length;
const csv = `a\n${"value\n".repeat(100_000)}`;
const xlsx = workbook({ rows: headerXml("a") + "<row><c><v>1</v></c></row>".repeat(20_000) });
const broken = workbook({ rows: `${headerXml("a")}${"<row><c><v>1</v></c></row>".repeat(20_000)}<row r="1"/>` });

async function readAll(path: string): Promise<void> {
  for await (const batch of readFileRows(path)) expect(batch.rows.length).toBeGreaterThan(0);
}

describe.runIf(existsSync("/proc/self/fd"))("a file that is not read to its end", () => {
  it.each([
    ["CSV", csv],
    ["XLSX", xlsx],
  ])("%s is closed all the same", async (_name, content) => {
    await withFile(content, async (path) => {
      const before = await openFiles();
      for (let time = 0; time < 5; time++) for await (const _ of readFileRows(path)) break;
      await expect.poll(() => openFiles()).toBeLessThanOrEqual(before);
    });
  });

  it("is closed when it turns out to be faulty", async () => {
    await withFile(broken, async (path) => {
      const before = await openFiles();
      for (let time = 0; time < 3; time++) await expect(readAll(path)).rejects.toThrow("damaged");
      await expect.poll(() => openFiles()).toBeLessThanOrEqual(before);
    });
  });

  it("is closed when the reader is told to stop", async () => {
    for (const content of [csv, xlsx]) {
      await withFile(content, async (path) => {
        const before = await openFiles();
        const stop = new AbortController();
        const reading = (async () => {
          for await (const _ of readFileRows(path, { signal: stop.signal })) stop.abort(new Error("cancelled"));
        })();
        await expect(reading).rejects.toThrow("cancelled");
        await expect.poll(() => openFiles()).toBeLessThanOrEqual(before);
      });
    }
  });
});
