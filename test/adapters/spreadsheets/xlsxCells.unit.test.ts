import { describe, expect, it } from "vitest";
import { headerXml, sheetXml } from "./workbook.js";
import { inRow, rowsOf } from "./xlsxReading.js";

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

  it("dates and times as wall times, by the cell's format; a date that does not exist is faulty", async () => {
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

  it("a time of day is no date, whether the workbook counts days from 1900 or 1904", async () => {
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

  it("plain numbers in a date column are read as date serials where they can be", async () => {
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

  it("a merged cell has its value only in its first cell", async () => {
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
