import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ExcelJS from "exceljs";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inertText, isPlain, looksLikeFormula, storedCellText } from "../../../src/adapters/spreadsheets/report/cellText.js";
import { createTableWriter } from "../../../src/adapters/spreadsheets/report/tableWriter.js";
import { xmlText } from "../../../src/adapters/spreadsheets/report/workbookParts.js";
import { readPath } from "./reading.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-table-"));
  path = join(folder, "table.xlsx");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(columns: string[], rows: Parameters<ReturnType<typeof createTableWriter>["add"]>[0][]): Promise<ExcelJS.Worksheet> {
  const output = createWriteStream(path);
  await once(output, "open");
  const options = { sheet: "Rows & <more>", columns, textColumns: new Set([1]), subject: 'the "subject"' };
  const writer = createTableWriter(output, options);
  for (const cells of rows) await writer.add(cells);
  await writer.close();
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(path);
  const sheet = book.worksheets[0];
  if (!sheet) throw new Error("no sheet");
  expect(book.subject).toBe('the "subject"');
  return sheet;
}

test("numbers, times and texts are what another program reads", async () => {
  const sheet = await written(
    ["=heading", "text"],
    [
      [-0.00000000000001, "007"],
      [123456789012345, 5],
      [{ wallTime: "2026-03-01" }, { wallTime: "2026-03-01T09:30:15" }],
      ["=1+1", " a\n<b>&\"'\u0001 "],
      ["", "last"],
    ],
  );
  expect(sheet.name).toBe("Rows & <more>");
  expect([sheet.getCell("A1").text, sheet.getCell("A1").font?.bold]).toEqual(["=heading", true]);
  expect(sheet.getCell("A2").value).toBe(-0.00000000000001);
  expect(sheet.getCell("A3").value).toBe(123456789012345);
  expect([sheet.getCell("B2").value, sheet.getCell("B2").numFmt]).toEqual(["007", "@"]);
  expect([sheet.getCell("B3").value, sheet.getCell("B3").numFmt]).toEqual([5, "@"]); // typed over, it stays a text
  expect([sheet.getCell("A4").value, sheet.getCell("A4").numFmt]).toEqual([new Date("2026-03-01T00:00:00Z"), "yyyy-mm-dd"]);
  expect([sheet.getCell("B4").value, sheet.getCell("B4").numFmt]).toEqual([new Date("2026-03-01T09:30:15Z"), "yyyy-mm-dd hh:mm:ss"]);
  expect([sheet.getCell("A5").type, sheet.getCell("A5").text]).toEqual([ExcelJS.ValueType.String, "=1+1"]);
  expect(sheet.getCell("A6").value).toBeNull();
  expect(sheet.views[0]).toMatchObject({ state: "frozen", ySplit: 1 });
});

test("a sheet with more than 26 columns has each value in its column", async () => {
  const columns = Array.from({ length: 60 }, (_, n) => `column ${n}`);
  await written(columns, [columns.map((_, n) => `value ${n}`)]);
  const read = await readPath(path, "table.xlsx");
  expect(read.columns).toEqual(columns);
  expect(read.rows[0]?.cells).toEqual(columns.map((_, n) => `value ${n}`));
});

test("a text that is written as it is would be the same with every rule applied", () => {
  const characters = fc.constantFrom(..."aZ09.:/-=+@_x \t\r\n\"'<&;,é東\u0001＝".split(""));
  let plain = 0;
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 12 }), (text) => {
      if (!isPlain(text)) return;
      plain += 1;
      expect([inertText(text), storedCellText(text), xmlText(text), looksLikeFormula(text)]).toEqual([text, text, text, false]);
      expect(text).not.toMatch(/^\s|\s$|"/);
    }),
    { numRuns: 3_000 },
  );
  expect(plain).toBeGreaterThan(50);
});
