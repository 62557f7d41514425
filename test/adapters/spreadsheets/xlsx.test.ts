import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/adapters/spreadsheets/xlsx/archive.js";
import { numberText, plainDecimal, serialText } from "../../../src/adapters/spreadsheets/xlsx/numbers.js";
import { createStringStore } from "../../../src/adapters/spreadsheets/xlsx/sharedStrings.js";
import { kindOfFormat } from "../../../src/adapters/spreadsheets/xlsx/styles.js";
import type { ReadOptions } from "../../../src/ports/spreadsheets.js";
import { cellsOf, readContent, withFile } from "./reading.js";
import { headerXml, sheetXml, type WorkbookPlan, workbook } from "./workbook.js";

const rowsOf = async (plan: WorkbookPlan, options?: ReadOptions) => {
  const read = await readContent(workbook(plan), "upload.xlsx", options);
  expect(read.fault).toBe(null);
  return cellsOf(read);
};
const inRow = (cells: string, plan: WorkbookPlan = {}, options?: ReadOptions) =>
  rowsOf({ ...plan, rows: `${headerXml("a", "b", "c")}<row r="2">${cells}</row>` }, options).then(([row]) => row);

describe("cells", () => {
  it("shared and inline texts, rich text joined, phonetic readings left out", async () => {
    const strings =
      '<si><t>plain</t></si><si><r><t>ri</t></r><r><rPr><b/></rPr><t xml:space="preserve">ch </t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>';
    expect(await inRow('<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c>', { strings })).toEqual(["plain", "rich ", "東京"]);
    expect(
      await inRow('<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c><c t="inlineStr"><is><t><![CDATA[<x> & y]]></t></is></c>'),
    ).toEqual(["ab", "<x> & y", ""]);
  });

  it("escapes for characters that XML cannot carry", async () => {
    expect(await inRow('<c t="str"><v>a_x000D_b</v></c><c t="str"><v>_x005F_x0041_</v></c><c t="str"><v>_x0000_</v></c>')).toEqual([
      "a\rb",
      "_x0041_",
      "!\ufffd: holds a NUL character",
    ]);
  });

  it("numbers without the noise of binary fractions", async () => {
    expect(await inRow("<c><v>800</v></c><c><v>0.30000000000000004</v></c><c><v>1.5E-7</v></c>")).toEqual(["800", "0.3", "0.00000015"]);
    expect(await inRow("<c><v>800.0</v></c><c><v>1E+20</v></c><c><v>-0.5</v></c>")).toEqual(["800", "100000000000000000000", "-0.5"]);
  });

  it("numbers shown with leading zeros keep them", async () => {
    expect(
      await inRow('<c s="1"><v>800</v></c><c s="2"><v>42</v></c><c s="1"><v>12345</v></c>', { formats: ["0000", '00000;"neg"'] }),
    ).toEqual(["0800", "00042", "12345"]);
  });

  it("dates as wall times, by the cell's format and not by its place in the archive", async () => {
    const formats = ["yyyy-mm-dd", "d/mm/yyyy\\ h:mm AM/PM", "h:mm", "[h]:mm"];
    expect(await inRow('<c s="1"><v>46027</v></c><c s="2"><v>46027.4375</v></c><c s="3"><v>0.75</v></c>', { formats })).toEqual([
      "2026-01-05",
      "2026-01-05T10:30:00",
      "18:00:00",
    ]);
    expect(await inRow('<c s="4"><v>1.5</v></c><c s="2"><v>46027</v></c><c s="1"><v>60</v></c>', { formats })).toEqual([
      "1.5",
      "2026-01-05T00:00:00",
      "!60: holds a date that does not exist",
    ]);
  });

  it("dates that count from 1904", async () => {
    const plan = { formats: ["yyyy-mm-dd"], workbookPr: '<workbookPr date1904="1"/>' };
    expect(await inRow('<c s="1"><v>44565</v></c><c><v>44565</v></c>', plan, { dateColumns: new Set([1]) })).toEqual([
      "2026-01-05",
      "2026-01-05",
      "",
    ]);
  });

  it("a time of day is no date, whatever the workbook counts from", async () => {
    const formats = ["h:mm", "yyyy-mm-dd h:mm", "yyyy-mm-dd"];
    const cells = '<c s="1"><v>0.75</v></c><c s="2"><v>0.75</v></c><c s="1"><v>0</v></c>';
    for (const workbookPr of ["", '<workbookPr date1904="1"/>'])
      expect(await inRow(cells, { formats, workbookPr })).toEqual(["18:00:00", "18:00:00", "00:00:00"]);
    const since1904 = { formats, workbookPr: '<workbookPr date1904="1"/>' };
    expect(await inRow('<c s="3"><v>0</v></c><c s="1"><v>1.75</v></c><c s="3"><v>1</v></c>', since1904)).toEqual([
      "1904-01-01",
      "1904-01-02T18:00:00",
      "1904-01-02",
    ]);
  });

  it("plain numbers in a date column are serials where they can be", async () => {
    const options = { dateColumns: new Set([0, 1, 2]) };
    expect(await inRow("<c><v>46027.5</v></c><c><v>20260105</v></c><c><v>2026</v></c>", {}, options)).toEqual([
      "2026-01-05T12:00:00",
      "20260105",
      "2026",
    ]);
  });

  it("ISO dates, truth values, and formulas by their stored result", async () => {
    expect(await inRow('<c t="d"><v>2026-01-05T10:30:00</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c>')).toEqual([
      "2026-01-05T10:30:00",
      "TRUE",
      "FALSE",
    ]);
    expect(await inRow('<c><f>1+1</f><v>2</v></c><c t="str"><f>""</f><v></v></c><c t="str"><f>A1</f><v>x</v></c>')).toEqual(["2", "", "x"]);
  });

  it.each(["n", "s", "str", "b", "e", "d", "inlineStr"])("a formula of type %s that was never computed is named as such", async (type) => {
    const cells = await inRow(`<c t="${type}"><f>A1</f></c>`);
    expect(cells?.[0]).toContain("formula without a stored result");
  });

  it("errors and formulas that were never computed make their row faulty", async () => {
    expect(await inRow('<c t="e"><v>#REF!</v></c><c><f>1+1</f></c><c><f>1+1</f><v></v></c>')).toEqual([
      "!#REF!: holds the error #REF!",
      expect.stringContaining("formula without a stored result"),
      expect.stringContaining("formula without a stored result"),
    ]);
    expect(await inRow('<c><v>abc</v></c><c t="z"><v>1</v></c><c t="b"><v>7</v></c>')).toEqual([
      "!abc: holds a number that cannot be read",
      "!1: is of an unknown type (z)",
      "!7: holds a truth value that cannot be read",
    ]);
  });

  it("a merged cell has its value only where it stands", async () => {
    const sheet = sheetXml(
      `${headerXml("a", "b")}<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>5</v></c></row><row r="3"><c r="A3"/><c r="B3"><v>6</v></c></row>`,
    );
    const merged = sheet.replace("</worksheet>", '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells></worksheet>');
    expect(await rowsOf({ sheet: merged })).toEqual([
      ["1", "5"],
      ["", "6"],
    ]);
  });
});

describe("sheets", () => {
  it("cells and rows without references follow one another, those with them leave gaps", async () => {
    const read = await readContent(
      workbook({ rows: `<row>${"<c><v>1</v></c>".repeat(3)}</row><row r="5"><c r="C5"><v>3</v></c></row><row><c><v>6</v></c></row>` }),
    );
    expect(read.columns).toEqual(["1", "1", "1"]);
    expect(read.rows).toEqual([
      { row: 5, cells: ["", "", "3"], fault: null },
      { row: 6, cells: ["6", "", ""], fault: null },
    ]);
  });

  it("blank rows are skipped and styled blank cells to the right do not count", async () => {
    const wide = Array.from({ length: 600 }, () => '<c s="1"/>').join("");
    const read = await readContent(
      workbook({
        rows: `<row r="1">${wide}</row>${headerXml("a", "b").replace('r="1"', 'r="2"')}<row r="3">${wide}</row><row r="9"><c><v>1</v></c>${wide}</row>`,
      }),
    );
    expect(read.rows).toEqual([{ row: 9, cells: ["1", ""], fault: null }]);
  });

  it("the first visible sheet in tab order is taken", async () => {
    const read = await readContent(
      workbook({
        rows: headerXml("wrong"),
        sheets:
          '<sheet name="Hidden" state="hidden" sheetId="1" r:id="rId1"/><sheet name="Very" state="veryHidden" sheetId="3" r:id="rId1"/><sheet name="Shown" sheetId="2" r:id="rId2"/>',
        extra: [{ name: "xl/worksheets/sheet2.xml", content: sheetXml(headerXml("right")) }],
      }),
    );
    expect(read.columns).toEqual(["right"]);
  });

  it("prefixed markup, strange part names and UTF-16 are all the same", async () => {
    const prefixed =
      '<?xml version="1.0"?><x:worksheet xmlns:x="u"><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const read = await readContent(
      workbook({
        strings: "<si><t>a</t></si>",
        edit: (parts) =>
          parts.flatMap((part) => {
            if (part.name.endsWith("sheet1.xml"))
              return [{ name: "custom/Data.XML", content: Buffer.from(`\ufeff${prefixed}`, "utf16le") }];
            if (part.name.endsWith("workbook.xml.rels"))
              return [{ ...part, content: String(part.content).replace("worksheets/sheet1.xml", "/custom/data.xml") }];
            if (part.name === "xl/workbook.xml")
              return [{ ...part, content: String(part.content).replaceAll("r:id", "rel:id").replace("xmlns:r=", "xmlns:rel=") }];
            return [part];
          }),
      }),
    );
    expect(read).toMatchObject({ columns: ["a"], fault: null });
    expect(cellsOf(read)).toEqual([["1"]]);
  });

  it("the header finds its texts at the end of the table", async () => {
    const strings = `${"<si><t>filler</t></si>".repeat(5000)}<si><t>last</t></si>`;
    const read = await readContent(workbook({ strings, rows: '<row><c t="s"><v>5000</v></c></row><row><c t="s"><v>4</v></c></row>' }));
    expect(read.columns).toEqual(["last"]);
    expect(cellsOf(read)).toEqual([["filler"]]);
  });

  it("a large table of texts is read by index", async () => {
    const items = Array.from({ length: 200_000 }, (_, index) => `<si><t>text ${index} é</t></si>`).join("");
    const rows = [0, 65_535, 65_536, 199_999].map((index) => `<row><c t="s"><v>${index}</v></c></row>`).join("");
    const read = await readContent(workbook({ strings: items, rows: headerXml("a").replace(' r="1"', "") + rows }));
    expect(cellsOf(read)).toEqual([["text 0 é"], ["text 65535 é"], ["text 65536 é"], ["text 199999 é"]]);
  });

  it("the table of texts has a bound, for long texts and for many empty ones", () => {
    const bound = 16 * 1024 * 1024;
    for (const text of ["x".repeat(1_000_000), "x", ""]) {
      const store = createStringStore(bound);
      const fill = () => {
        for (;;) store.add(text);
      };
      expect(fill).toThrow("too much text");
      expect(store.at(0)).toBe(text);
      expect(store.at(store.count - 1)).toBe(text);
      expect(store.at(store.count)).toBe(undefined);
      expect(store.at(-1)).toBe(undefined);
    }
  });

  it("the start of a part can be read within a bound that the whole of it exceeds", async () => {
    const content = workbook({ rows: "<row><c><v>1</v></c></row>".repeat(50_000) });
    await withFile(content, async (path) => {
      const archive = await openArchive(path, 300_000);
      const pieces = archive.text("xl/worksheets/sheet1.xml");
      expect((await pieces.next()).value).toContain("<sheetData><row>");
      const readOn = async () => {
        for await (const _ of pieces);
      };
      await expect(readOn()).rejects.toThrow("The header row cannot be read from the first");
      archive.close();
    });
  });

  it("a UTF-8 character on the edge of a piece stays whole", async () => {
    const cells = Array.from({ length: 20_000 }, (_, index) => `${"x".repeat(index % 5)}€𝄞`);
    const read = await readContent(
      workbook({ rows: headerXml("a") + cells.map((cell) => `<row><c t="inlineStr"><is><t>${cell}</t></is></c></row>`).join("") }),
    );
    expect(read.rows.map((row) => row.cells[0])).toEqual(cells);
  });

  it("an empty text in the table is an empty cell", async () => {
    expect(
      await inRow('<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c>', { strings: "<si/><si><t/></si><si><t>x</t></si>" }),
    ).toEqual(["", "", "x"]);
  });
});

describe("number formats", () => {
  it.each([
    ["General", "number"],
    ["0.00", "number"],
    ["0.00E+00", "number"],
    ["#,##0.00 [$€-407]", "number"],
    ['0 "days"', "number"],
    ["[Red]0", "number"],
    ["@", "number"],
    ["0\\d", "number"],
    ["[h]:mm:ss", "number"],
    ["00000", "padded"],
    ["dd/mm/yyyy", "date"],
    ["mmm yy", "date"],
    ["mmmm", "date"],
    ["[$-C09]dddd, d mmmm yyyy;@", "date"],
    ["yyyy\\-mm\\-dd\\Thh:mm", "date"],
    ["h:mm AM/PM", "time"],
    ["mm:ss.0", "time"],
    ["YYYY/MM/DD", "date"],
  ])("%s is a %s", (code, kind) => {
    expect(kindOfFormat(code).kind).toBe(kind);
  });

  it("serials meet the calendar's edges", () => {
    expect(serialText(1, "date", false)).toBe("1900-01-01");
    expect(serialText(59, "date", false)).toBe("1900-02-28");
    expect(serialText(61, "date", false)).toBe("1900-03-01");
    expect(serialText(2_958_465, "date", false)).toBe("9999-12-31");
    expect(serialText(2_958_466, "date", false)).toBe(undefined);
    expect(serialText(-1, "date", false)).toBe(undefined);
    expect(serialText(Number.NaN, "date", false)).toBe(undefined);
    expect(serialText(46_027.999_999_999_99, "date", false)).toBe("2026-01-06T00:00:00");
    expect(serialText(46_027.437_512_5, "date", false)).toBe("2026-01-05T10:30:01.080");
  });

  it.each([
    ["12345678901234567", "12345678901234567"],
    ["1.2345678901234499E+16", "12345678901234500"],
    ["1.1000000000000001", "1.1"],
    ["-0", "0"],
    ["00800", "800"],
    ["+5", "5"],
    [".5", "0.5"],
    ["5.", "5"],
    ["1e-20", "0.00000000000000000001"],
    ["123456.789", "123456.789"],
    ["-1E3", "-1000"],
    ["0.0", "0"],
  ])("%s reads %s", (raw, text) => {
    expect(plainDecimal(raw)).toBe(text);
  });

  it.each(["", "1e999999", "0x10", "NaN", "1,5", "--1", "1e"])("%j is no number", (raw) => {
    expect(numberText(raw, { kind: "number" }, false, false)).toMatchObject({ fault: "holds a number that cannot be read" });
  });
});
