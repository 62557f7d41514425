import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { access, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createReportWriter } from "../../../src/adapters/spreadsheets/report/tableWriter.js";
import { openArchive } from "../../../src/adapters/spreadsheets/xlsx/archive.js";
import { reportColumns } from "../../../src/domain/files/header.js";
import { cellsOf, readPath } from "./reading.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-report-"));
  path = join(folder, "report.xlsx");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(columns: string[], rows: [number, string, string[]][]): Promise<void> {
  const writer = await createReportWriter(path, { columns: [...reportColumns, ...columns], subject: "the rows of an import" });
  for (const [row, reason, values] of rows) await writer.add(row, reason, values);
  await writer.close();
}

const hostile = [
  "=1+1",
  "+61 2 9999",
  "-5",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "=cmd|' /C calc'!A0",
  "0800",
  "1e5",
  " padded ",
  "a\nb",
  "a\r\nb",
  "\u0001\u001f",
  "\u007f",
  "_x0041_",
  "_x005F_",
  "x_x",
  "<&>\"'",
  "🚚 é 東京",
  "]]>",
  "\ufffe",
  "TRUE",
  "2026-01-05",
  "#REF!",
];

describe("an error report", () => {
  it("gives back every value unchanged when it is uploaded again", async () => {
    await write(
      ["value", "other"],
      hostile.map((value, index) => [index + 2, "Valid quantity is required", [value, "x"]]),
    );
    const read = await readPath(path, "report.xlsx");
    expect(read.columns).toEqual([...reportColumns, "value", "other"]);
    expect(cellsOf(read)).toEqual(hostile.map((value, index) => [String(index + 2), "Valid quantity is required", value, "x"]));
  });

  it("opens in ExcelJS with text in every cell", async () => {
    await write(
      ["value"],
      hostile.map((value, index) => [index + 2, "=reason", [value]]),
    );
    const book = new ExcelJS.Workbook();
    await book.xlsx.readFile(path);
    const sheet = book.worksheets[0];
    expect(sheet?.name).toBe("Rejected rows");
    expect(sheet?.rowCount).toBe(hostile.length + 1);
    sheet?.eachRow((row) => {
      row.eachCell((cell) => {
        expect([ExcelJS.ValueType.String, ExcelJS.ValueType.RichText]).toContain(cell.type);
        expect(cell.numFmt).toBe("@");
      });
    });
    expect(sheet?.getCell("A2").text).toBe("2");
    expect(sheet?.getCell("C2").text).toBe("=1+1");
  });

  it("marks a value that reads like a formula as typed text, and no other value", async () => {
    await write(
      ["value"],
      [
        [2, "reason", ["=1+1"]],
        [3, "reason", ["1"]],
      ],
    );
    const archive = await openArchive(path);
    const styles = await archive.wholeText("xl/styles.xml");
    const sheet = await archive.wholeText("xl/worksheets/sheet1.xml");
    archive.close();
    const looks = styles.slice(styles.indexOf("<cellXfs")).match(/<xf [^>]*>/g) ?? [];
    const lookOf = (cell: string) => looks[Number(new RegExp(`r="${cell}" s="(\\d+)"`).exec(sheet)?.[1])];
    expect(lookOf("C2")).toContain('quotePrefix="1"');
    expect(lookOf("C3")).toContain('numFmtId="49"');
    expect(lookOf("C3")).not.toContain("quotePrefix");
    expect(lookOf("A1")).not.toContain("quotePrefix");
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toContain('ySplit="1"');
  });

  it("cuts a value that is too long for a cell, and marks it as cut short", async () => {
    await write(["value"], [[2, "too long", ["🚚".repeat(20_000)]]]);
    const [row] = cellsOf(await readPath(path));
    expect(row?.[2]).toMatch(/🚚.?\.\.\. \[cut short\]$/u);
    expect(row?.[2]?.length).toBeLessThanOrEqual(32_767);
  });

  it("leaves blank cells blank and accepts rows with fewer or more cells than columns", async () => {
    await write(
      ["a", "b"],
      [
        [2, "r", []],
        [3, "r", ["", "2", "3"]],
      ],
    );
    expect(cellsOf(await readPath(path))).toEqual([
      ["2", "r", "", ""],
      ["3", "r", "", "2"],
    ]);
  });

  it("with many rows keeps its order, also for a caller that does not wait after each", async () => {
    const writer = await createReportWriter(path, { columns: [...reportColumns, "a"], subject: "" });
    const added = Array.from({ length: 20_000 }, (_, index) => writer.add(index + 2, "reason", [`value ${index}`]));
    await Promise.all(added);
    await writer.close();
    const read = await readPath(path);
    expect(read.rows.length).toBe(20_000);
    expect(read.rows.every(({ cells }, index) => cells[2] === `value ${index}`)).toBe(true);
  });

  it("that is discarded leaves no file behind", async () => {
    const writer = await createReportWriter(path, { columns: [...reportColumns, "a"], subject: "" });
    await writer.add(2, "reason", ["x".repeat(200_000)]);
    await writer.discard();
    await expect(access(path)).rejects.toThrow("ENOENT");
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(existsSync("/dev/full"))("on a full disk fails instead of waiting for ever, and can be discarded", async () => {
    await symlink("/dev/full", path);
    const writer = await createReportWriter(path, { columns: [...reportColumns, "a"], subject: "" });
    const fill = async () => {
      for (let row = 2; row < 4000; row++) await writer.add(row, "reason", [Math.random().toString(36).repeat(50)]);
      await writer.close();
    };
    await expect(fill()).rejects.toThrow("ENOSPC");
    await writer.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(existsSync("/dev/full"))("of a few rows on a full disk fails when it is closed", async () => {
    await symlink("/dev/full", path);
    const writer = await createReportWriter(path, { columns: [...reportColumns, "a"], subject: "" });
    await writer.add(2, "reason", ["x"]);
    await expect(writer.close()).rejects.toThrow("ENOSPC");
    await writer.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it("in a folder that is not there fails at once", async () => {
    await expect(
      createReportWriter(join(folder, "none", "report.xlsx"), { columns: [...reportColumns, "a"], subject: "" }),
    ).rejects.toThrow("ENOENT");
  });

  it("waits for the disk, so that rows do not pile up in memory", async () => {
    const writer = await createReportWriter(path, { columns: [...reportColumns, "a"], subject: "" });
    await writer.add(2, "reason", ["x".repeat(30_000)]);
    const before = (await stat(path)).size;
    for (let row = 3; row < 300; row++) await writer.add(row, "reason", [randomBytes(10_000).toString("hex")]);
    expect((await stat(path)).size - before).toBeGreaterThan(2_000_000);
    await writer.close();
  });

  it("without rows is still a workbook", async () => {
    await write(["a"], []);
    expect((await stat(path)).size).toBeGreaterThan(500);
    expect((await readPath(path)).columns).toEqual([...reportColumns, "a"]);
  });
});
