import { expect, test } from "vitest";
import { readValues } from "../../../src/adapters/spreadsheets/uploadedFile.js";
import { withFile } from "./reading.js";
import { headerXml, workbook } from "./workbook.js";

test("the first distinct values of each column, without blanks", async () => {
  const csv = "a,b,c\n1, x ,\n1,y,\n2,,\n";
  expect(await withFile(csv, readValues)).toEqual([["1", "2"], ["x", "y"], []]);
});

test("of a workbook too, whose dates are ISO 8601", async () => {
  const rows = `${headerXml("a", "b")}<row r="2"><c t="str"><v>one</v></c><c s="1"><v>46115</v></c></row>`;
  expect(await withFile(workbook({ rows, formats: ["d/m/yyyy"] }), readValues)).toEqual([["one"], ["2026-04-03"]]);
});

test("at most 20 of a column, 60 characters of each, from the first 1,000 rows", async () => {
  const rows = Array.from(
    { length: 1_001 },
    (_, index) => `${index},${index >= 999 ? `late ${index}` : ""},${"\u{1f69a}".repeat(59 + (index % 3))}`,
  );
  const [numbers, late, long] = await withFile(`a,b,c\n${rows.join("\n")}\n`, readValues);
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`));
  expect(late).toEqual(["late 999"]);
  expect(long).toEqual(["\u{1f69a}".repeat(59), "\u{1f69a}".repeat(60), `${"\u{1f69a}".repeat(60)}...`]);
});

test("none of a file without rows", async () => {
  expect(await withFile("a,b\n", readValues)).toEqual([]);
});
