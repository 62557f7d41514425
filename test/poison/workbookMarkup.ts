// Sheets whose XML is bad.
import { sheetXml } from "../adapters/spreadsheets/workbook.js";
import type { Expectation } from "./expectation.js";
import { book, damaged, HEAD } from "./workbookPlans.js";

const markup = (name: string, sheet: () => string | Uint8Array, expect: Expectation) => book(name, () => ({ sheet: sheet() }), expect);
const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${"bcdefghij"[index]} "${`&${"abcdefghi"[index]};`.repeat(10)}">`).join("")}]>`;
export const xml = [
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
