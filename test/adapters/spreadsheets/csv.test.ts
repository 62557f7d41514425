import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { createRecordReader } from "../../../src/adapters/spreadsheets/csv/records.js";
import { cellsOf, readContent } from "./reading.js";

const utf16 = (text: string, order: "le" | "be", mark = true) => {
  const bytes = Buffer.from((mark ? "\ufeff" : "") + text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};
const rowsOf = async (content: Uint8Array | string) => {
  const read = await readContent(content, "upload.csv");
  expect(read.fault).toBe(null);
  return cellsOf(read);
};
const faultOf = async (content: Uint8Array | string) => (await readContent(content, "upload.csv")).fault;

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

  it("UTF-8 that turns bad half way is refused, with the line", async () => {
    const bytes = Buffer.concat([Buffer.from("code,name\n1,Zoë\n2,"), Buffer.from([0xeb]), Buffer.from("\n")]);
    expect(await faultOf(bytes)).toBe("The file is UTF-8 up to line 3 but not there. Save it as CSV UTF-8 and upload it again.");
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

  it("mixed line endings swallow nothing", async () => {
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

describe("rows", () => {
  it("keep the file's numbers when blank ones are skipped", async () => {
    const read = await readContent("\n\na,b\n1,2\n\n , \n,\n3,4\n");
    expect(read.columns).toEqual(["a", "b"]);
    expect(read.rows.map(({ row }) => row)).toEqual([4, 8]);
  });

  it.each(["\n", "\r\n", "\r", "\n\r", "\r\r\n\n"])("keep their numbers behind a great many of %j", async (end) => {
    const linesIn = (text: string) => text.split(/\r\n|\r|\n/).length - 1;
    for (const count of [31, 32, 33, 63, 64, 65, 66, 70_000]) {
      const content = `${end.repeat(count)}a,b\n1,2\n${end.repeat(count)}"x",4\n${end.repeat(count)}`;
      const read = await readContent(content);
      expect(read.columns).toEqual(["a", "b"]);
      const first = linesIn(content.slice(0, content.indexOf("1,2"))) + 1;
      const second = linesIn(content.slice(0, content.indexOf('"x"'))) + 1;
      expect(read.rows.map(({ row, cells }) => [row, ...cells])).toEqual([
        [first, "1", "2"],
        [second, "x", "4"],
      ]);
    }
  });

  it("with quoted line breaks count as one row", async () => {
    const read = await readContent('a,b\n1,"x\ny\r\nz"\n3,4\n');
    expect(read.rows.map(({ row }) => row)).toEqual([2, 3]);
    expect(cellsOf(read)).toEqual([
      ["1", "x\ny\r\nz"],
      ["3", "4"],
    ]);
  });

  it("that are short are filled up, and blank cells to the right are dropped", async () => {
    expect(await rowsOf("a,b,,\n1\n1,2,,,\n")).toEqual([
      ["1", ""],
      ["1", "2"],
    ]);
  });

  it("with a value outside the named columns are faulty", async () => {
    expect(await rowsOf("a,,b\n1,,2\n1,x,2\n1,,2,y\n")).toEqual([
      ["1", "", "2"],
      ["1", "x", "2", "!Has a value in column 2, which has no name in the header"],
      ["1", "", "2", "!Has a value to the right of the last column (the header has 3 columns)"],
    ]);
  });

  it("keep text as it was written", async () => {
    expect(await rowsOf('a,b\n0800,1e5\n=1+1," x "\n')).toEqual([
      ["0800", "1e5"],
      ["=1+1", " x "],
    ]);
  });

  it("wrapped as a formula to save a zero read as what the formula shows", async () => {
    expect(await rowsOf('a,b\n="0800","=""0872"""\n="1"&"2",x\n')).toEqual([
      ["0800", '="0872"'],
      ['="1"&"2"', "x"],
    ]);
  });

  it("end where an old program put its end mark", async () => {
    expect(await rowsOf("a,b\r\n1,2\r\n\x1a")).toEqual([["1", "2"]]);
  });

  it("with a NUL, an overlong cell or text after a closing quote are faulty, and only they", async () => {
    const long = "x".repeat(32_768);
    expect(await rowsOf(`a,b\n1,\0x\n${long},2\n"q"x,3\n4,5" pipe\n`)).toEqual([
      ["1", "!\ufffdx: holds a NUL character"],
      [`!${"x".repeat(1000)}...: is longer than 32,767 characters`, "2"],
      ['!"q"x: has text after its closing quote', "3"],
      ["4", '5" pipe'],
    ]);
  });

  it("with text after several closing quotes name each such cell and lose no other", async () => {
    expect(await rowsOf('a,b,c\n"q"x,"2"" y"z ,"3"\n="0800","q" x,\0\n"1" ,2,3\n')).toEqual([
      ['!"q"x: has text after its closing quote', '!"2"" y"z : has text after its closing quote', "3"],
      ["0800", '!"q" x: has text after its closing quote', "!\ufffd: holds a NUL character"],
      ["1", "2", "3"],
    ]);
    expect(await rowsOf('a\n"q"\0x\n')).toEqual([['!"q"\ufffdx: has text after its closing quote']]);
  });
});

describe("files that cannot be used", () => {
  it.each([
    ["an unclosed quote", 'a,b\n1,2\n3,"4\n5,6\n', "Row 3 opens a quote that is never closed. Close it and upload the file again."],
    [
      "an unclosed quote that meets another",
      'a,b\n1,"2\n3,"4"\n',
      "Row 2 opens a quote that is not closed on the same row. Close it and upload the file again.",
    ],
    [
      "a line over 1 MiB",
      `a,b\n${"x".repeat(1_048_577)}\n`,
      "Row 2 is longer than 1 MiB. Check that the file has line breaks and that its quotes are closed.",
    ],
    ["over 512 columns", `a,b\n1,2\n${",".repeat(512)}\n`, "Row 3 has more than 512 columns. Remove the columns that are not needed."],
    [
      "over 512 columns in quotes",
      `a,b\n1,2\n${'"",'.repeat(512)}\n`,
      "Row 3 has more than 512 columns. Remove the columns that are not needed.",
    ],
    ["nothing but blank lines", "\n \n\n", "The file is empty: it has no header row."],
  ])("%s", async (_name, content, message) => {
    expect(await faultOf(content)).toBe(message);
  });

  it("a file of exactly 512 columns and a row of exactly 1 MiB pass", async () => {
    const header = Array.from({ length: 512 }, (_, index) => `c${index}`).join(",");
    expect((await readContent(`${header}\n${"1,".repeat(511)}1\n`)).fault).toBe(null);
    expect((await readContent(`a\n${"x".repeat(1_048_576)}\n`)).fault).toBe(null);
  });
});

describe("reading on", () => {
  it("stops when told to", async () => {
    const stop = new AbortController();
    stop.abort(new Error("cancelled"));
    await expect(readContent("a\n1\n", "x.csv", { signal: stop.signal })).rejects.toThrow("cancelled");
  });

  it("gives back what a writer of CSV put in", async () => {
    const cell = fc.stringMatching(/^[a-z0-9 ,;"=\n\r€]{0,8}$/).map((text) => text.replace(/^\s+$/, "x"));
    const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom("\n", "\r\n", "\r"), async (rows, newline) => {
        const text = [["a", "b", "c"], ...rows].map((cells) => cells.map(written).join(",")).join(newline);
        expect(await rowsOf(text)).toEqual(rows.filter((cells) => cells.some((value) => value !== "")));
      }),
      { numRuns: 150 },
    );
  });

  it("agrees with papaparse alone on well-formed text, thousands of rows at a time", async () => {
    const cells = Array.from({ length: 9000 }, (_, index) => [
      `${index}`,
      `x,"${index}"\n`.repeat(index % 4),
      index % 7 === 0 ? "" : "plain",
    ]);
    const text = Papa.unparse([["a", "b", "c"], ...cells], { newline: "\r\n" });
    expect(await rowsOf(text)).toEqual(Papa.parse<string[]>(text, { newline: "\r\n", delimiter: "," }).data.slice(1));
  });

  it("gives every cell of rows of any length, with and without quotes", async () => {
    const cells = Array.from({ length: 400 }, (_, index) => [`${index}`, "x".repeat(index * 7), index % 5 === 0 ? "a, b" : "plain"]);
    expect(await rowsOf([["a", "b", "c"], ...cells].map((row) => row.map(written).join(",")).join("\n"))).toEqual(cells);
  });

  it("keeps a byte order mark in the middle of a file, wherever a piece begins with it", () => {
    expect(scan(["a\n", "\ufeffb\n"])).toEqual(scan(["a\n\ufeffb\n"]));
    expect(scan(["a\n", "\ufeffb\n"])).toContainEqual([2, ["\ufeffb"]]);
  });

  it("gives the same rows however the text is cut into pieces", () => {
    const text = fc.stringMatching(/^[ab,"\n\r]{0,40}$/);
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 5 }), (content, cuts) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, content.length)).sort((a, b) => a - b), content.length];
        const pieces = edges.slice(1).map((edge, index) => content.slice(edges[index], edge));
        expect(scan(pieces)).toEqual(scan([content]));
      }),
      { numRuns: 3000 },
    );
  });
});

function written(value: string): string {
  return /[",\r\n]|^=/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function scan(pieces: string[]): unknown[] {
  const seen: unknown[] = [];
  const reader = createRecordReader(",", (row, cells) => seen.push([row, cells]));
  try {
    pieces.forEach((piece, index) => {
      reader.push(piece, index === pieces.length - 1);
    });
  } catch (error) {
    seen.push((error as Error).message);
  }
  return seen;
}
