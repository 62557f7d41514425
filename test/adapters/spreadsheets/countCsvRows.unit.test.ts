import fc from "fast-check";
import { expect, test } from "vitest";
import { countCsvRows } from "../../../src/adapters/spreadsheets/csv/readCsv.js";
import { MAX_CSV_ROWS } from "../../../src/adapters/spreadsheets/limits.js";
import { readHeader } from "../../../src/adapters/spreadsheets/uploadedFile.js";
import { readContent, withFile } from "./reading.js";

async function countContent(content: Uint8Array | string): Promise<{ rows: number; notes: readonly string[]; fault: string | null }> {
  return withFile(content, async (path) => {
    const counted = { rows: 0, notes: [] as readonly string[], fault: null as string | null };
    try {
      await readHeader(path, "a.csv"); // as the worker does before it counts or reads
      for await (const { rows, notes } of countCsvRows(path)) Object.assign(counted, { rows, notes });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "FileFault") throw error;
      counted.fault = error.message;
    }
    return counted;
  });
}

test("counting finds as many rows as reading, the same faults and the same notes", async () => {
  const piece = fc.constantFrom(
    "a",
    "7",
    "é",
    ",",
    ",",
    ";",
    '"',
    '"',
    '""',
    "\n",
    "\r\n",
    "\r",
    "\n".repeat(64),
    "\r\n".repeat(40),
    " ",
    "\t",
    "=",
    "\0",
    "\u2028",
    "\ufeff",
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const lines = fc.array(fc.constantFrom("1,2", ",", "", " , ", '"",""', '"x\n\ny",2', "é,1", '="08",1', '"a"b,1'), { maxLength: 12 });
  const content = fc.oneof(
    text.map((body) => `a,b\n${body}`),
    text,
    lines.map((body) => `a,b\n${body.join("\n")}`),
    text.map((body) => Buffer.from(`a,b\n1,\xff\n${body}`, "latin1")),
    text.map((body) => Buffer.from(`\ufeffa,b\n${body}`, "utf16le")),
  );
  await fc.assert(
    fc.asyncProperty(content, async (given) => {
      const [read, counted] = [await readContent(given, "a.csv"), await countContent(given)];
      expect(counted.fault).toBe(read.fault);
      if (read.fault !== null) return;
      expect(counted.rows).toBe(read.rows.length);
      if (read.rows.length > 0) expect(counted.notes).toEqual(read.notes);
    }),
    { numRuns: 100 },
  );
});

test("a file of many pieces, plain and quoted, is counted to the row", async () => {
  const plain = "2026-03-01,PICK,1\n".repeat(50_000);
  const mixed = 'W1,"two\nlines",3\n,,\n\nplain,1,2\n'.repeat(5_000);
  const content = `day,code,quantity\n${plain}${mixed}${plain}`;
  expect(await countContent(content)).toMatchObject({ rows: 110_000, fault: null });
  expect(await countContent(`${content}"open`)).toMatchObject({ fault: expect.stringContaining("opens a quote that is never closed") });
});

test("a file of the largest number of rows is counted, one more row is refused", async () => {
  const most = `a\n${"1\n".repeat(MAX_CSV_ROWS)}`;
  expect(await countContent(`${most}\n,\n`)).toMatchObject({ rows: MAX_CSV_ROWS, fault: null });
  expect((await countContent(`${most}1\n`)).fault).toBe("The file has more than 3,100,000 rows. Split it into several files.");
});
