import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/adapters/spreadsheets/xlsx/archive.js";
import { createStringStore } from "../../../src/adapters/spreadsheets/xlsx/sharedStrings.js";
import { cellsOf, readContent, withFile } from "./reading.js";
import { headerXml, sheetXml, workbook } from "./workbook.js";
import { inRow } from "./xlsxReading.js";

describe("sheets", () => {
  it("cells and rows without references follow one another, references may leave gaps", async () => {
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

  it("a workbook with prefixed markup, unusual part names and UTF-16 parts is read", async () => {
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

  it("the header is read though its texts are at the end of the table of texts", async () => {
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

  it("the table of texts is bounded, for long texts and for many empty ones", () => {
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

  it("the start of a part can be read though the whole part exceeds the bound", async () => {
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

  it("a UTF-8 character that is split between two pieces of the file stays whole", async () => {
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
