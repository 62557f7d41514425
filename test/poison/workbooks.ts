import { headerXml, sheetXml, stringsXml, type WorkbookPlan, workbook, workbookParts } from "../adapters/spreadsheets/workbook.js";
import { type ZipPart, zip } from "../adapters/spreadsheets/zip.js";
import { type Expectation, type Poison, poison } from "./expectation.js";

const HEAD = headerXml("a", "b");
const DAMAGED = /damaged or was cut short/;
const good: WorkbookPlan = { rows: `${HEAD}<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>` };
const damaged: Expectation = { fault: DAMAGED };

const book = (name: string, plan: () => WorkbookPlan, expect: Expectation, fileName = "rows.xlsx") =>
  poison(name, () => workbook(plan()), expect, fileName);
/** The header and these rows. */
const rows = (name: string, markup: string, expect: Expectation, plan: WorkbookPlan = {}) =>
  book(name, () => ({ ...plan, rows: HEAD + markup }), expect);
/** The header and one row of these cells. */
const cells = (name: string, markup: string, expect: Expectation, plan: WorkbookPlan = {}) =>
  rows(name, `<row r="2">${markup}</row>`, expect, plan);
const edited = (name: string, part: string, edit: (part: ZipPart) => ZipPart[], expect: Expectation) =>
  book(name, () => ({ ...good, edit: (parts) => parts.flatMap((each) => (each.name === part ? edit(each) : [each])) }), expect);
const zipped = (name: string, parts: ZipPart[], expect: Expectation) => poison(name, () => zip(parts), expect, "rows.xlsx");

const PLAIN = "<row><c><v>1</v></c><c><v>2</v></c></row>";
const LONG = `<row><c t="inlineStr"><is><t>${"x".repeat(30_000)}</t></is></c></row>`;

const SHEET = "xl/worksheets/sheet1.xml";
const cutAt = (share: number): Poison =>
  poison(
    `a workbook cut off after ${share * 100} %`,
    () => workbook(good).subarray(0, Math.floor(workbook(good).length * share)),
    damaged,
    "rows.xlsx",
  );

const archives = [
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

const structure = [
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

const markup = (name: string, sheet: () => string | Uint8Array, expect: Expectation) => book(name, () => ({ sheet: sheet() }), expect);
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${"bcdefghij"[index]} "${`&${"abcdefghi"[index]};`.repeat(10)}">`).join("")}]>`;
const xml = [
  markup("XML that stops half way", () => sheetXml(HEAD).slice(0, -30), damaged),
  markup("XML with crossed tags", () => sheetXml("<row><c></row></c>"), damaged),
  markup("XML with two roots", () => `${sheetXml(HEAD)}<x/>`, damaged),
  markup("an undefined entity", () => sheetXml(`${HEAD}<row><c t="str"><v>&boom;</v></c></row>`), damaged),
  markup("an entity bomb", () => `${laughs}${sheetXml(`${HEAD}<row><c t="str"><v>&j;</v></c></row>`).replace(/<\?.*\?>\n/, "")}`, {
    fault: /document type definition/,
  }),
  markup("an outside entity", () => '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet/>', {
    fault: /document type definition/,
  }),
  markup("a document type of 8 MB", () => `<!DOCTYPE x [${"<!-- x -->".repeat(800_000)}]><worksheet/>`, { fault: /./ }),
  markup("a comment of 8 MB", () => `<worksheet><!--${"x".repeat(6_800_000)}--></worksheet>`, { fault: /far too large/ }),
  markup("an attribute of 8 MB", () => `<worksheet a="${"x".repeat(6_800_000)}"/>`, { fault: /far too large/ }),
  markup("a tag name of 8 MB", () => `<worksheet><${"x".repeat(6_800_000)}/></worksheet>`, { fault: /far too large/ }),
  markup("300,000 attributes", () => `<worksheet ${Array.from({ length: 300_000 }, (_, index) => `a${index}=""`).join(" ")}/>`, {
    fault: /far too large/,
  }),
  markup("tags nested a million deep", () => `<worksheet>${"<a>".repeat(1_000_000)}`, damaged),
  markup(
    "invalid UTF-8",
    () => Buffer.concat([Buffer.from("<worksheet>"), Buffer.from([0xe9, 0x41]), Buffer.from("</worksheet>")]),
    damaged,
  ),
  markup("a UTF-8 character cut off at the end", () => Buffer.concat([Buffer.from("<worksheet>"), Buffer.from([0xe2, 0x82])]), damaged),
  markup("half a UTF-16 character", () => Buffer.from("\ufeff<worksheet/>", "utf16le").subarray(0, -1), damaged),
  markup("a NUL in the markup", () => sheetXml(`${HEAD}<row><c t="str"><v>\0</v></c></row>`), damaged),
  markup("a NUL as a character reference", () => sheetXml(`${HEAD}<row><c t="str"><v>&#0;</v></c></row>`), damaged),
  markup("processing instructions and comments between cells", () => sheetXml(`${HEAD}<?x y?><row><!-- c --><c><v>1</v></c></row>`), {
    rows: 1,
  }),
  markup("another document altogether", () => "<html><body><table><tr><td>a</td></tr></table></body></html>", { fault: /is empty/ }),
];

const MANY = 700_000;
const bombs = [
  book(
    "a sheet of 40 MB that says it is small",
    () => ({
      ...good,
      edit: (parts) =>
        parts.map((part) =>
          part.name === SHEET ? { ...part, content: sheetXml(HEAD + "<row/>".repeat(6_000_000)), claim: { size: 300_000 } } : part,
        ),
    }),
    damaged,
  ),
  book("5 MB of blanks in a sheet", () => ({ sheet: Buffer.concat([Buffer.from("<worksheet>"), Buffer.alloc(5_000_000, 32)]) }), {
    fault: /far too large|far more than its size/,
  }),
  book("more empty rows than a sheet has", () => ({ rows: HEAD + "<row/>".repeat(1_100_000) }), {
    fault: /more than 1,048,576 rows/,
  }),
  book("34 MB of tags that mean nothing", () => ({ sheet: `<worksheet>${"<x/>".repeat(8_500_000)}</worksheet>` }), {
    fault: /far more than its size/,
  }),
  book("a million empty cells in one row", () => ({ rows: `${HEAD}<row>${"<c/>".repeat(1_000_000)}</row>` }), {
    fault: /more than 512 columns/,
  }),
  book("34 MB of shared texts", () => ({ ...good, strings: "<si><t>bomb</t></si>".repeat(4_000_000) }), {
    fault: /far more than its size|too much text/,
  }),
  book("a million shared texts that are all empty", () => ({ ...good, strings: "<si/>".repeat(1_000_000) }), { rows: 1 }),
  book("a shared text of 20 MB", () => ({ ...good, strings: `<si><t>${"x".repeat(20_000_000)}</t></si>` }), { fault: /far too large/ }),
  book("a shared text of 1 MB and more in runs", () => ({ ...good, strings: `<si>${"<r><t>xxxx</t></r>".repeat(300_000)}</si>` }), {
    fault: /far too large/,
  }),
  edited(
    "a workbook part of 20 MB",
    "xl/workbook.xml",
    (part) => [{ ...part, content: String(part.content).replace("<sheets>", `${"<x/>".repeat(5_000_000)}<sheets>`) }],
    { fault: /too large/ },
  ),
  edited(
    "relations of 20 MB",
    "xl/_rels/workbook.xml.rels",
    (part) => [{ ...part, content: `<Relationships>${"<x/>".repeat(5_000_000)}</Relationships>` }],
    { fault: /too large/ },
  ),
  book(
    "styles of 20 MB",
    () => ({ ...good, extra: [{ name: "xl/styles.xml", content: `<styleSheet>${"<xf/>".repeat(4_000_000)}</styleSheet>` }] }),
    { fault: /too large/ },
  ),
  book("a cell of 3 MB", () => ({ rows: `${HEAD}<row><c t="inlineStr"><is><t>${"x".repeat(3_000_000)}</t></is></c></row>` }), {
    fault: /far too large/,
  }),
  book(
    "a cell of 3 MB in runs",
    () => ({ rows: `${HEAD}<row><c t="inlineStr"><is>${"<r><t>xxxxxxxxxx</t></r>".repeat(300_000)}</is></c></row>` }),
    { fault: /far too large/ },
  ),
  book("a value of 3 MB in comments", () => ({ rows: `${HEAD}<row><c t="str"><v>${"xxxxxxxxxx<!-- -->".repeat(300_000)}</v></c></row>` }), {
    fault: /./,
  }),
  book(
    "a row that repeats one long text",
    () => ({ strings: `<si><t>${"x".repeat(32_000)}</t></si>`, rows: `${HEAD}<row>${'<c t="s"><v>0</v></c>'.repeat(400)}</row>` }),
    { fault: /more than 1 MiB of text/ },
  ),
  book("a nested zip", () => ({ ...good, extra: [{ name: "inner.zip", content: workbook(good) }] }), { rows: 1 }),
  book("more rows than a sheet has", () => ({ rows: `${HEAD}<row r="1048577"><c><v>1</v></c></row>` }), {
    fault: /more than 1,048,576 rows/,
  }),
  book(
    "a text that a million cells repeat",
    () => ({
      strings: `<si><t>${"x".repeat(32_000)}</t></si>`,
      rows:
        headerXml(...Array.from({ length: 30 }, (_, index) => `c${index}`)) +
        `<row>${'<c t="s"><v>0</v></c>'.repeat(30)}</row>`.repeat(600),
    }),
    { fault: /more than 536,870,912 characters of text/ },
  ),
  ...[90_000, 101_000, 103_000, 110_000, 125_000, 131_000, 150_000].map((before) =>
    // Texts of this length are left for later wherever a piece of the sheet ends in them: nothing behind them may be left out.
    book(
      `a long text behind ${before} characters, and rows behind it`,
      () => ({ rows: HEAD + PLAIN.repeat(Math.floor(before / PLAIN.length)) + LONG + PLAIN.repeat(20) }),
      { rows: Math.floor(before / PLAIN.length) + 21 },
    ),
  ),
  book("a header behind a comment of 1.9 MB", () => ({ rows: `<!--${" ".repeat(1_900_000)}-->${HEAD}${PLAIN}` }), { rows: 1 }),
  book("a number of a million digits in the header", () => ({ rows: `<row><c><v>${"9".repeat(1_000_000)}x</v></c></row>` }), {
    fault: /^A column name in row 1 holds a number that cannot be read/,
  }),
  cells("a number of a million digits", `<c><v>${"9".repeat(1_000_000)}x</v></c>`, { rows: 1, faulty: 1 }),
  cells("a whole number of a million digits", `<c><v>${"9".repeat(1_000_000)}</v></c>`, { rows: 1, faulty: 1 }),
  cells("a number format of a million brackets", '<c s="1"><v>1</v></c>', { rows: 1 }, { formats: ["[".repeat(1_000_000)] }),
  cells("a number format of a million zeros", '<c s="1"><v>1</v></c>', { rows: 1 }, { formats: ["0".repeat(1_000_000)] }),
  book("many rows in little room", () => ({ rows: HEAD + "<row><c><v>1</v></c></row>".repeat(MANY / 10) }), { rows: MANY / 10 }),
];

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

const cellsAndRows = [
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

export const workbooks = [...archives, ...structure, ...xml, ...bombs, ...cellsAndRows];
export const goodWorkbook = (): Buffer => zip(workbookParts(good));
