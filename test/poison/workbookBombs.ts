// Workbooks that unpack to far more than they seem to hold.
import { headerXml, sheetXml, workbook } from "../adapters/spreadsheets/workbook.js";
import { book, cells, damaged, edited, good, HEAD, SHEET } from "./workbookPlans.js";

const PLAIN = "<row><c><v>1</v></c><c><v>2</v></c></row>";
const LONG = `<row><c t="inlineStr"><is><t>${"x".repeat(30_000)}</t></is></c></row>`;

const MANY = 700_000;
export const bombs = [
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
    // When a piece of the sheet ends within so long a text, the parser goes on with it in the next piece: no row after it may be lost.
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
