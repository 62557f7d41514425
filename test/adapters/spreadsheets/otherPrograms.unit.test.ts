import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cellsOf, readPath } from "./reading.js";

const file = (name: string) => fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url));
const header = ["text", "number", "postcode", "date", "time", "flag", "formula", "rich", "link"];
const first = ["0800 Zoë 東京", "0.3", "0800", "2026-01-05", "2026-01-05T10:30:00", "TRUE", "2", "plain bold", "a link"];
const faulty = ["=not a formula", "", "", "", "", "", "!#DIV/0!: holds the error #DIV/0!", "", ""];
const filled = (...cells: string[]) => header.map((_, index) => cells[index] ?? "");

describe("workbooks of other programs", () => {
  it.each(["xlsxwriter.xlsx", "gnumeric.xlsx", "libreoffice.xlsx"])("%s is read with all its cells", async (name) => {
    const read = await readPath(file(name), name);
    expect(read).toMatchObject({ columns: header, fault: null });
    expect(cellsOf(read)).toEqual([first, faulty, filled("merged", "5"), filled("", "6")]);
    expect(read.rows.map(({ row }) => row)).toEqual([2, 4, 5, 6]);
  });

  it("xlsxwriter-inline.xlsx is read with its inline texts", async () => {
    expect(cellsOf(await readPath(file("xlsxwriter-inline.xlsx")))).toEqual([first, faulty]);
  });

  it.each(["openpyxl.xlsx", "openpyxl-1904.xlsx"])("%s is read, and its formula that was never computed is faulty", async (name) => {
    const read = await readPath(file(name), name);
    expect(read).toMatchObject({ columns: header, fault: null });
    const neverComputed = "!: holds a formula without a stored result (open the workbook in a spreadsheet program and save it)";
    expect(cellsOf(read)).toEqual([first.with(6, neverComputed), filled("line one\nline two", "100000000000000000000")]);
    expect(read.rows.map(({ row }) => row)).toEqual([2, 4]);
  });

  it("libreoffice.xls is refused with what to do", async () => {
    expect((await readPath(file("libreoffice.xls"), "rows.xls")).fault).toBe(
      "The .xls format is not supported. Re-save it as .csv or .xlsx.",
    );
  });

  it("libreoffice.ods is refused with what to do", async () => {
    expect((await readPath(file("libreoffice.ods"), "rows.ods")).fault).toBe(
      "The file is an OpenDocument file (.ods), which is not supported. Re-save it as .csv or .xlsx.",
    );
  });
});

describe("text files of other programs", () => {
  it("libreoffice-windows-1252.csv is read, with a note about its encoding", async () => {
    const read = await readPath(file("libreoffice-windows-1252.csv"));
    expect(cellsOf(read)).toEqual([
      ["0800 Zoë ??", "0.3", "800", "2026-01-05", "2026-01-05 10:30:00", "TRUE", "2", "plain bold", "a link"],
      filled("line one\nline two", "1E+020"),
    ]);
    expect(read.notes).toEqual(["The file is not UTF-8; it was read as Windows-1252."]);
    expect(read.rows.map(({ row }) => row)).toEqual([2, 4]);
  });

  it("libreoffice-semicolon.csv is read without a note", async () => {
    const read = await readPath(file("libreoffice-semicolon.csv"));
    expect(read).toMatchObject({ columns: header, notes: [], fault: null });
    expect(cellsOf(read)[0]?.slice(0, 3)).toEqual(["0800 Zoë 東京", "0.3", "0800"]);
  });
});
