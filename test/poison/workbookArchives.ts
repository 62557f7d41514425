// Archives and documents that are no workbook, or a broken one.
import { workbook } from "../adapters/spreadsheets/workbook.js";
import { type ZipPart, zip } from "../adapters/spreadsheets/zip.js";
import { type Expectation, type Poison, poison } from "./expectation.js";
import { book, damaged, edited, good, HEAD, SHEET } from "./workbookPlans.js";

const zipped = (name: string, parts: ZipPart[], expect: Expectation) => poison(name, () => zip(parts), expect, "rows.xlsx");

const cutAt = (share: number): Poison =>
  poison(
    `a workbook cut off after ${share * 100} %`,
    () => workbook(good).subarray(0, Math.floor(workbook(good).length * share)),
    damaged,
    "rows.xlsx",
  );

export const archives = [
  ...[0.05, 0.25, 0.5, 0.75, 0.9, 0.99].map(cutAt),
  poison("a workbook without its last byte", () => workbook(good).subarray(0, -1), damaged),
  poison("a workbook with rubbish behind it", () => Buffer.concat([workbook(good), Buffer.alloc(70_000, 7)]), damaged),
  poison("a workbook that is mostly zeros", () => Buffer.concat([workbook(good).subarray(0, 200), Buffer.alloc(5000)]), damaged),
  edited("a part whose bytes were changed", SHEET, (part) => [{ ...part, claim: { crc: 123 } }], damaged),
  edited("an unpacked part whose bytes were changed", SHEET, (part) => [{ ...part, stored: true, claim: { crc: 123 } }], damaged),
  edited("a part that is larger than it says", SHEET, (part) => [{ ...part, claim: { size: 10 } }], damaged),
  edited("a part that is smaller than it says", SHEET, (part) => [{ ...part, claim: { size: 4_000_000 } }], damaged),
  edited("a part that says it is 4 GB", SHEET, (part) => [{ ...part, claim: { size: 4_000_000_000 } }], {
    fault: /far more than its size/,
  }),
  edited("a part that reaches past the end", SHEET, (part) => [{ ...part, claim: { compressedSize: 50_000_000 } }], damaged),
  edited("a part packed in an unknown way", SHEET, (part) => [{ ...part, claim: { method: 99 } }], damaged),
  edited("a part that is no deflate stream", SHEET, (part) => [{ ...part, stored: true, claim: { method: 8 } }], damaged),
  edited("a part under a password", SHEET, (part) => [{ ...part, claim: { flags: 1 } }], { fault: /protected with a password/ }),
  edited("the sheet twice", SHEET, (part) => [part, part], damaged),
  edited("the sheet twice in other letters", SHEET, (part) => [part, { ...part, name: part.name.toUpperCase() }], damaged),
  edited("the workbook part twice", "xl/workbook.xml", (part) => [part, part], damaged),
  ...["../evil.xml", "/etc/passwd", "C:/evil.xml", "xl/../../evil.xml"].map((name) =>
    book(`a part called ${name}`, () => ({ ...good, extra: [{ name, content: "x" }] }), damaged),
  ),
  book("a part with a NUL in its name", () => ({ ...good, extra: [{ name: "xl/a\0b.xml", content: "x" }] }), { rows: 1 }),
  book(
    "part names with backslashes",
    () => ({ ...good, edit: (parts) => parts.map((part) => ({ ...part, name: part.name.replaceAll("/", "\\") })) }),
    { rows: 1 },
  ),
  book("10,001 parts", () => ({ ...good, extra: Array.from({ length: 10_001 }, (_, index) => ({ name: `p${index}`, content: "" })) }), {
    fault: /too many parts/,
  }),
  zipped("a zip with a text file", [{ name: "readme.txt", content: "hello" }], { fault: /zip archive, not a workbook/ }),
  zipped("a zip with a CSV file", [{ name: "rows.csv", content: "a,b\n1,2\n" }], { fault: /zip archive, not a workbook/ }),
  zipped("a Word document", [{ name: "word/document.xml", content: "<x/>" }], { fault: /Word document/ }),
  zipped("a presentation", [{ name: "ppt/presentation.xml", content: "<x/>" }], { fault: /presentation/ }),
  zipped("a binary workbook", [{ name: "xl/workbook.bin", content: "x" }], { fault: /\.xlsb/ }),
  zipped("an OpenDocument sheet", [{ name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet", stored: true }], {
    fault: /OpenDocument/,
  }),
  zipped("an OpenDocument sheet in another order", [{ name: "content.xml", content: "<x/>" }], { fault: /OpenDocument/ }),
  zipped("a Numbers document", [{ name: "Index/Document.iwa", content: "x" }], { fault: /Numbers document/ }),
  poison("a workbook called .csv", () => workbook(good), { rows: 1 }, "rows.csv"),
  poison("a workbook called .xls", () => workbook(good), { rows: 1 }, "rows.xls"),
];

export const structure = [
  book("no sheets", () => ({ sheets: "" }), { fault: /no sheet/ }),
  book("only hidden sheets", () => ({ ...good, sheets: '<sheet name="x" state="hidden" sheetId="1" r:id="rId1"/>' }), {
    fault: /no visible sheet/,
  }),
  book("only a sheet that leads nowhere", () => ({ ...good, sheets: '<sheet name="x" sheetId="1" r:id="rId99"/>' }), { fault: /no sheet/ }),
  book("only a sheet of styles", () => ({ ...good, sheets: '<sheet name="x" sheetId="1" r:id="rId4"/>' }), { fault: /no sheet/ }),
  book("a sheet whose part is missing", () => ({ ...good, sheets: '<sheet name="x" sheetId="1" r:id="rId2"/>' }), damaged),
  book("an empty sheet", () => ({ rows: "" }), { fault: /"Rows" is empty/ }),
  book("a sheet of blank rows", () => ({ rows: '<row r="1"/><row r="7"><c r="A7"/></row>' }), { fault: /"Rows" is empty/ }),
  book("a header and nothing more", () => ({ rows: HEAD }), { rows: 0 }),
  book("a sheet without data", () => ({ sheet: '<worksheet xmlns="x"/>' }), { fault: /"Rows" is empty/ }),
  book("a sheet of no bytes", () => ({ sheet: "" }), damaged),
  edited("a missing workbook part", "xl/workbook.xml", () => [], { fault: /not a workbook/ }),
  edited("missing relations", "xl/_rels/workbook.xml.rels", () => [], { fault: /no sheet/ }),
  edited("a missing package relation", "_rels/.rels", () => [], { rows: 1 }),
  edited("a workbook that is no XML", "xl/workbook.xml", (part) => [{ ...part, content: "hello" }], damaged),
  edited(
    "a relation to the outside",
    "xl/_rels/workbook.xml.rels",
    (part) => [{ ...part, content: String(part.content).replaceAll("/>", ' TargetMode="External"/>') }],
    { fault: /no sheet/ },
  ),
  edited(
    "a relation that climbs out",
    "xl/_rels/workbook.xml.rels",
    (part) => [{ ...part, content: String(part.content).replaceAll("worksheets/", "../../../../etc/") }],
    damaged,
  ),
];
