import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { createTokenizer } from "../../../src/adapters/spreadsheets/csv/tokenizer.js";
import { faultOf, rowsOf } from "./csvReading.js";
import { cellsOf, readContent } from "./reading.js";

describe("rows", () => {
  it("keep their line numbers of the file when blank rows are skipped", async () => {
    const read = await readContent("\n\na,b\n1,2\n\n , \n,\n3,4\n");
    expect(read.columns).toEqual(["a", "b"]);
    expect(read.rows.map(({ row }) => row)).toEqual([4, 8]);
  });

  it.each(["\n", "\r\n", "\r", "\n\r", "\r\r\n\n"])(
    "keep their line numbers after a great many blank lines that end in %j",
    async (end) => {
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
    },
  );

  it("with quoted line breaks count as one row", async () => {
    const read = await readContent('a,b\n1,"x\ny\r\nz"\n3,4\n');
    expect(read.rows.map(({ row }) => row)).toEqual([2, 3]);
    expect(cellsOf(read)).toEqual([
      ["1", "x\ny\r\nz"],
      ["3", "4"],
    ]);
  });

  it("that are too short are filled up with blank cells, and blank cells to the right of the header are dropped", async () => {
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

  it('with a cell such as ="0800", which keeps a leading zero, are read without the formula around it', async () => {
    expect(await rowsOf('a,b\n="0800","=""0872"""\n="1"&"2",x\n')).toEqual([
      ["0800", '="0872"'],
      ['="1"&"2"', "x"],
    ]);
  });

  it("end at the end-of-file mark (0x1A) of old programs", async () => {
    expect(await rowsOf("a,b\r\n1,2\r\n\x1a")).toEqual([["1", "2"]]);
  });

  it("with a NUL, an overlong cell or text after a closing quote are faulty, and no other row is", async () => {
    const long = "x".repeat(32_768);
    expect(await rowsOf(`a,b\n1,\0x\n${long},2\n"q"x,3\n4,5" pipe\n`)).toEqual([
      ["1", "!\ufffdx: holds a NUL character"],
      [`!${"x".repeat(1000)}...: is longer than 32,767 characters`, "2"],
      ['!"q"x: has text after its closing quote', "3"],
      ["4", '5" pipe'],
    ]);
  });

  it("with text after the closing quotes of several cells name each such cell and keep the other cells", async () => {
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
      "an unclosed quote with another quote on the next row",
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

describe("reading", () => {
  it("stops when told to", async () => {
    const stop = new AbortController();
    stop.abort(new Error("cancelled"));
    await expect(readContent("a\n1\n", "x.csv", { signal: stop.signal })).rejects.toThrow("cancelled");
  });

  it("gives the cells that were written as CSV, whatever they hold", async () => {
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

  it("gives the same cells as papaparse for well-formed text of thousands of rows", async () => {
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

  it("keeps a byte order mark in the middle of a file, also where a piece of the file begins with it", () => {
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
  const push = createTokenizer(",", (row, cells) => seen.push([row, cells]));
  try {
    pieces.forEach((piece, index) => {
      push(piece, index === pieces.length - 1);
    });
  } catch (error) {
    seen.push((error as Error).message);
  }
  return seen;
}
