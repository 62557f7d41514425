// Text files that people open: a spreadsheet splits them at the character of its country's settings, whatever the file was written with.
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";

const { csvLine } = spreadsheets;
const number = { decimal: "-5.25" };
const separators = [",", ";", "\t"];

/** Ways to split a text into cells: by the quotes, and without regard to them as a careless program does. */
const readers = separators.flatMap((separator) => [
  {
    name: `quotes, ${JSON.stringify(separator)}`,
    cells: (text: string) => Papa.parse<string[]>(text, { delimiter: separator }).data.flat(),
  },
  {
    name: `no quotes, ${JSON.stringify(separator)}`,
    cells: (text: string) => text.split(/\r\n|\r|\n/).flatMap((line) => line.split(separator)),
  },
]);

const isNumber = (cell: string) => /^-?\d+(\.\d+)?$/.test(cell);
/** What a program evaluates, also one that leaves out blanks and quotes before it looks. */
const runs = (cell: string) => /^[\s"\u200b\ufeff]*[=+\-@＝＋－＠]/.test(cell) && !isNumber(cell);

const formulas = ["=1+1", "+1+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x";"y")', "＝1+1"];
const before = ["", " ", "  ", "\t", "\r", "\n", "\r\n", '"', '""', '" "', "\u00a0", "\u200b", "\ufeff"];

describe.each(readers)("read with $name", ({ cells }) => {
  test.each(formulas)("%s runs nowhere in a text", (formula) => {
    for (const blank of before)
      for (const start of ["", "x", '"', ...separators, ...separators.map((separator) => `x${separator}`), "x\n", "x\r", ";;", "x;,\t"]) {
        const text = `${start}${start === "x" || start === '"' ? ";" : ""}${blank}${formula}`;
        const file = csvLine(["heading", text, "last"]) + csvLine([text, number, text]) + csvLine([`${text};`, text]) + csvLine([text]);
        expect(cells(file).filter(runs), JSON.stringify(text)).toEqual([]);
      }
  });
});

test("every text is quoted and comes back; numbers, times and empty cells stay as they are", () => {
  const texts = ["plain", "a;b", "a,b", 'say "x"', "two\r\nlines", "5", "2026-03-01T09:30:00+10:30", "a@b.example", "1-2", "é"];
  const line = csvLine([...texts, number, { wallTime: "2026-03-01" }, ""]);
  expect(line.endsWith(",-5.25,2026-03-01,\r\n")).toBe(true);
  expect(Papa.parse<string[]>(line.trimEnd(), { delimiter: "," }).data).toEqual([[...texts, "-5.25", "2026-03-01", ""]]);
  expect(csvLine(["a", "5"])).toBe('"a","5"\r\n');
});

test("only the sign that begins a formula gets an apostrophe", () => {
  expect(csvLine(["x;=1+1", "=a=b", "-5", "\tx", "a; b", "cold;-18"])).toBe(`"x;'=1+1","'=a=b","'-5","'\tx","a; b","cold;'-18"\r\n`);
});

test("a long text of blanks and separators is written in one pass", () => {
  const long = `${"\t".repeat(200_000)}=1${";".repeat(200_000)}`;
  expect(csvLine([long])).toHaveLength(long.length + 2 + 2 + 2);
});
