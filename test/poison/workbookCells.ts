// Cells and rows that are faulty, in sheets that can be read.
import { headerXml, sheetXml, stringsXml } from "../adapters/spreadsheets/workbook.js";
import { book, cells, damaged, good, rows } from "./workbookPlans.js";

const badRefs = ["", "1", "A", "ABCDE1", "A123456789", "é1", "-1"].map((reference) =>
  cells(`a cell called "${reference}"`, `<c r="${reference}"><v>1</v></c>`, reference === "ABCDE1" ? { fault: /./ } : damaged),
);
const badRows = ["0", "-1", "1", "1.5", "abc", "1e3x"].map((number) =>
  rows(`a row numbered ${number}`, `<row r="${number}"><c><v>1</v></c></row>`, damaged),
);
const badIndexes = ["-1", "7", "999999999", "99999999999999999999", "x", "1.5"].map((index) =>
  cells(`a text number ${index} that is not there`, `<c t="s"><v>${index}</v></c>`, damaged, { strings: "<si><t>x</t></si>" }),
);
const faultyCells = [
  ...["#REF!", "#DIV/0!", "#N/A", "#NAME?"].map((error) => [`the error ${error}`, `<c t="e"><v>${error}</v></c>`] as const),
  ["a formula that was never computed", "<c><f>SUM(A1)</f></c>"],
  ["a text formula that was never computed", '<c t="str"><f>A1</f></c>'],
  ["a number that is none", "<c><v>12x</v></c>"],
  ["a number that is NaN", "<c><v>NaN</v></c>"],
  ["a number in hexadecimal", "<c><v>0x10</v></c>"],
  ["a date that never was", '<c s="1"><v>60</v></c>'],
  ["a date before time began", '<c s="1"><v>-5</v></c>'],
  ["a date after time ended", '<c s="1"><v>99999999</v></c>'],
  ["an unknown cell type", '<c t="zzz"><v>1</v></c>'],
  ["a truth value that is neither", '<c t="b"><v>2</v></c>'],
  ["a NUL in an escape", '<c t="str"><v>_x0000_</v></c>'],
  ["a cell over what a workbook holds", `<c t="str"><v>${"x".repeat(40_000)}</v></c>`],
  ["a value to the right of the header", "<c/><c/><c><v>1</v></c>"],
] as const;

export const cellsAndRows = [
  ...badRefs,
  ...badRows,
  ...badIndexes,
  ...faultyCells.map(([name, xml]) => cells(name, xml, { rows: 1, faulty: 1 }, { formats: ["yyyy-mm-dd"] })),
  cells("a text number where there is no table", '<c t="s"><v>0</v></c>', damaged),
  cells("one cell twice", '<c r="A2"><v>1</v></c><c r="A2"><v>2</v></c>', damaged),
  cells("cells out of order", '<c r="B2"><v>1</v></c><c r="A2"><v>2</v></c>', { rows: 1 }),
  cells("a style that does not exist", '<c s="999999"><v>1</v></c><c s="-1"><v>2</v></c>', { rows: 1 }),
  cells("a style that is no number", '<c s="abc"><v>1</v></c>', { rows: 1 }),
  cells("a number with too many digits", `<c><v>${"9".repeat(400)}</v></c><c><v>1e300</v></c>`, { rows: 1 }),
  cells("half an emoji in an escape", '<c t="str"><v>_xD83D_</v></c>', { rows: 1 }),
  cells("513 columns", "<c><v>1</v></c>".repeat(513), { fault: /more than 512 columns/ }),
  cells("a value in the last column there is", '<c r="XFD2"><v>1</v></c>', { fault: /more than 512 columns/ }),
  cells("a value past the last column there is", '<c r="XFE2"><v>1</v></c>', { fault: /more than 512 columns/ }),
  cells("a million columns", "<c><v>1</v></c>".repeat(1_000_000), { fault: /more than 512 columns/ }),
  cells("an empty inline text", '<c t="inlineStr"/><c t="inlineStr"><is/></c>', { rows: 0 }),
  rows("rows in a row", "<row><row><c><v>1</v></c></row></row>", { rows: 1 }),
  rows("cells outside rows", "<c><v>1</v></c><row/>", { rows: 0 }),
  rows("rows that go backwards", '<row r="5"><c><v>1</v></c></row><row r="4"><c><v>1</v></c></row>', damaged),
  rows("a gap of a million rows", '<row r="1048576"><c><v>1</v></c></row>', { rows: 1 }),
  book("an error in the header", () => ({ rows: '<row><c t="e"><v>#REF!</v></c></row>' }), {
    fault: /^A column name in row 1 holds the error #REF!/,
  }),
  book("a formula without result in the header", () => ({ rows: "<row><c><f>A2</f></c></row>" }), {
    fault: /^A column name in row 1 holds a formula/,
  }),
  book("a header name that is too long", () => ({ rows: headerXml("x".repeat(40_000)) }), { fault: /^A column name in row 1 is longer/ }),
  book("a table of texts that is no XML", () => ({ ...good, extra: [{ name: "xl/sharedStrings.xml", content: "hello" }] }), damaged),
  book(
    "a table of texts that stops",
    () => ({ ...good, extra: [{ name: "xl/sharedStrings.xml", content: stringsXml("<si><t>x").slice(0, -6) }] }),
    damaged,
  ),
  book("styles that are no XML", () => ({ ...good, extra: [{ name: "xl/styles.xml", content: "hello" }] }), damaged),
  book(
    "a size that is a lie",
    () => ({ sheet: sheetXml(good.rows ?? "").replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>') }),
    { rows: 1 },
  ),
  book(
    "merged ranges without sense",
    () => ({
      sheet: sheetXml(good.rows ?? "").replace(
        "</worksheet>",
        '<mergeCells><mergeCell ref="A1:XFD1048576"/><mergeCell ref="?"/></mergeCells></worksheet>',
      ),
    }),
    { rows: 1 },
  ),
];
