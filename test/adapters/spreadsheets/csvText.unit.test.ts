// How the text of a CSV file may be written: its encoding, its delimiter, its line endings.
import { describe, expect, it } from "vitest";
import { faultOf, rowsOf } from "./csvReading.js";
import { cellsOf, readContent } from "./reading.js";

const utf16 = (text: string, order: "le" | "be", mark = true) => {
  const bytes = Buffer.from((mark ? "\ufeff" : "") + text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};

describe("encodings", () => {
  const text = "code,name\n0800,Zoë €5\n";
  it.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16 LE", utf16(text, "le")],
    ["UTF-16 BE", utf16(text, "be")],
    ["UTF-16 LE without a mark", utf16(text, "le", false)],
    ["UTF-16 BE without a mark", utf16(text, "be", false)],
  ])("%s is read without a note", async (_name, bytes) => {
    const read = await readContent(bytes);
    expect(read).toMatchObject({ columns: ["code", "name"], notes: [], fault: null });
    expect(cellsOf(read)).toEqual([["0800", "Zoë €5"]]);
  });

  it("Windows-1252 is read and noted", async () => {
    const read = await readContent(Buffer.from([...Buffer.from("code,name\n1,Zo"), 0xeb, 0x20, 0x80, 0x92, 0x0a]));
    expect(cellsOf(read)).toEqual([["1", "Zoë €’"]]);
    expect(read.notes).toEqual(["The file is not UTF-8; it was read as Windows-1252."]);
  });

  it("a file that is valid UTF-8 only up to some line is refused, and the line is named", async () => {
    const bytes = Buffer.concat([Buffer.from("code,name\n1,Zoë\n2,"), Buffer.from([0xeb]), Buffer.from("\n")]);
    expect(await faultOf(bytes)).toBe("The file is UTF-8 up to line 3, but not in that line. Save it as CSV UTF-8 and upload it again.");
  });

  it("a character on the edge of a piece stays whole in every encoding", async () => {
    const cells = Array.from({ length: 60_000 }, (_, index) => `${"x".repeat(index % 7)}€𝄞ë`);
    const lines = `name\n${cells.join("\n")}\n`;
    for (const bytes of [Buffer.from(lines), utf16(lines, "le"), utf16(lines, "be")]) {
      expect((await rowsOf(bytes)).map(([cell]) => cell)).toEqual(cells);
    }
  });

  it("half a UTF-16 character is refused", async () => {
    expect(await faultOf(utf16("a,b\n1,2\n", "le").subarray(0, -1))).toMatch(/not valid UTF-16/);
    expect(await faultOf(utf16("a,b\n1,\ud800\n", "le"))).toMatch(/not valid UTF-16/);
  });
});

describe("dialects", () => {
  it.each([",", ";", "\t", "|"])("delimiter %j is found", async (delimiter) => {
    expect(await rowsOf(`a${delimiter}"b,;|\tx"\n1${delimiter}2\n`)).toEqual([["1", "2"]]);
  });

  it.each(["sep=;\r\n", "sep=;\n", '"sep=;"\r\n', "SEP=;\r"])("Excel's line %j names the delimiter and is no row", async (line) => {
    const read = await readContent(`${line}a,x;b\n1,5;2\n`);
    expect(read.columns).toEqual(["a,x", "b"]);
    expect(read.rows).toEqual([{ row: 2, cells: ["1,5", "2"], fault: null }]);
  });

  it("a sep= line that names no separator is refused", async () => {
    expect(await faultOf("sep=abc\na,b\n")).toMatch(/sep= line must name one separator/);
    expect(await faultOf("sep=\na,b\n")).toMatch(/sep= line must name one separator/);
    expect(await faultOf("sep=\ufeff\na,b\n")).toMatch(/sep= line must name one separator/);
  });

  it.each(["\n", "\r\n", "\r"])("line ending %j", async (end) => {
    expect(await rowsOf(["a,b", "1,2", "3,4"].join(end))).toEqual([
      ["1", "2"],
      ["3", "4"],
    ]);
    expect(await rowsOf(["a,b", "1,2", "3,4", ""].join(end))).toEqual([
      ["1", "2"],
      ["3", "4"],
    ]);
  });

  it("with mixed line endings no row is lost", async () => {
    expect(await rowsOf('a,b\r\n1,2\n3,4\r5,"6\r\n7"\r\n8,9')).toEqual([
      ["1", "2"],
      ["3", "4"],
      ["5", "6\r\n7"],
      ["8", "9"],
    ]);
  });

  it("a CRLF on the edge of a piece is one line ending", async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `${"y".repeat(index % 13)},2`);
    const read = await readContent(`a,b\r\n${lines.join("\r\n")}\r\n`);
    expect(read.rows.at(-1)).toEqual({ row: 40_001, cells: ["y".repeat(39_999 % 13), "2"], fault: null });
    expect(read.rows.length).toBe(40_000);
  });
});
