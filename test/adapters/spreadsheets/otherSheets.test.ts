import { expect, test } from "vitest";
import { readHeader } from "../../../src/adapters/spreadsheets/uploadedFile.js";
import { withFile } from "./reading.js";
import { headerXml, sheetXml, workbook } from "./workbook.js";

const read = sheetXml(headerXml("a"));
const styled = (rows: number) => `<row>${'<c s="1"/>'.repeat(10)}</row>`.repeat(rows);

/** A workbook whose first visible sheet is read, and others with the given content. */
async function headerOf(others: readonly { name: string; state?: string; content: string }[]) {
  const sheets = others.map(
    ({ name, state }, n) => `<sheet name="${name}" ${state ? `state="${state}"` : ""} sheetId="${n + 2}" r:id="o${n}"/>`,
  );
  const content = workbook({
    sheet: read,
    sheets: `<sheet name="Orders" sheetId="1" r:id="rId1"/>${sheets.join("")}`,
    extra: others.map(({ content }, n) => ({ name: `xl/worksheets/other${n}.xml`, content })),
    edit: (parts) =>
      parts.map((part) => {
        if (!part.name.endsWith("workbook.xml.rels")) return part;
        const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
        const relations = others.map((_, n) => `<Relationship Id="o${n}" Type="${type}" Target="worksheets/other${n}.xml"/>`);
        return { ...part, content: String(part.content).replace("</Relationships>", `${relations.join("")}</Relationships>`) };
      }),
  });
  return withFile(content, (path) => readHeader(path, "upload.xlsx"));
}

const rows = sheetXml(`${headerXml("a")}<row><c><v>1</v></c></row>`);

test("another visible sheet with rows is named in a note", async () => {
  const { columns, otherSheets, notes } = await headerOf([{ name: "March", content: rows }]);
  expect([columns, otherSheets]).toEqual([["a"], ["March"]]);
  expect(notes).toEqual([
    'Only the first visible sheet, "Orders", was read. "March" has rows too, which were not read: move them to the first sheet, or upload each sheet as a file of its own.',
  ]);
});

test("several are named, and of many the first five", async () => {
  const [many] = (await headerOf(Array.from({ length: 7 }, (_, n) => ({ name: `S${n}`, content: rows })))).notes;
  expect(many).toContain('"S0", "S1", "S2", "S3", "S4" and 2 more have rows too');
  const [two] = (await headerOf(["A", "B"].map((name) => ({ name, content: rows })))).notes;
  expect(two).toContain('"A" and "B" have rows too');
});

test.each([
  ["is empty", { name: "Empty", content: sheetXml("") }],
  ["has only blank cells", { name: "Blank", content: sheetXml(`${styled(3)}<row><c t="inlineStr"><is><t> </t></is></c></row>`) }],
  ["is hidden", { name: "Lists", state: "hidden", content: rows }],
  ["is hidden from the menu too", { name: "Lists", state: "veryHidden", content: rows }],
])("a sheet that %s is not named", async (_, sheet) => {
  const { otherSheets, notes } = await headerOf([sheet]);
  expect([otherSheets, notes]).toEqual([[], []]);
});

test.each([
  ["begins further down", sheetXml(`${styled(5_000)}<row><c><v>1</v></c></row>`)],
  ["is damaged", "<worksheet><sheetData><row><c><v>1"],
  ["is too long to be looked through, though its cells are blank", sheetXml(styled(20_000))],
])("a sheet that %s is named, and the first one is read all the same", async (_, content) => {
  const { columns, otherSheets } = await headerOf([{ name: "Other", content }]);
  expect([columns, otherSheets]).toEqual([["a"], ["Other"]]);
});

test("a name of control characters, or of thousands of characters, is shown on one line and cut short", async () => {
  const { otherSheets } = await headerOf([{ name: `A&#10;B${"x".repeat(5_000)}`, content: rows }]);
  expect(otherSheets).toEqual([`A B${"x".repeat(47)}`]);
});
