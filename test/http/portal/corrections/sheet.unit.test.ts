import { expect, test } from "vitest";
import type { ServedRow } from "../../../../src/http/portal/browser/corrections/rows.js";
import { createSheet } from "../../../../src/http/portal/browser/corrections/sheet.js";

const nothing = () => undefined;
const edits = { get: nothing, keep: nothing };

function sheetOf(count: number, more: (n: number) => Partial<ServedRow> = () => ({})) {
  const sheet = createSheet("shipments", edits);
  const line = (n: number) => ({
    importId: "i",
    row: n + 2,
    firstRow: n,
    element: null,
    reasonKey: "k",
    error: "no",
    values: { shipmentId: `S-${n}` },
    faulty: [],
    ...more(n),
  });
  sheet.add(Array.from({ length: count }, (_, n) => line(n)));
  return sheet;
}

test("thousands of rows that get one shipment id, or are submitted, are judged once each", () => {
  const sheet = sheetOf(3_000);
  sheet.change(sheet.rows.map((row) => ({ row, field: "shipmentId", value: "S-all" })));
  expect(new Set(sheet.rows.map(({ version }) => version))).toEqual(new Set([1]));
  expect(sheet.unjudged.size).toBe(3_000);
  const closure = { state: "submitted" as const, otherId: "o", otherName: "monday.csv", by: "you", note: null };
  sheet.setClosures(sheet.rows.map((row) => [row, closure]));
  expect(new Set(sheet.rows.map(({ version }) => version))).toEqual(new Set([2]));
  expect(sheet.unjudged.size).toBe(0);
});

test("rows that are left behind, and rows that are joined, are judged again; other rows are not", () => {
  const sheet = sheetOf(4);
  const [first, second, third, fourth] = sheet.rows;
  if (!first || !second || !third || !fourth) throw new Error("four rows");
  sheet.change([{ row: second, field: "shipmentId", value: "S-0" }]);
  expect(sheet.groupOf(first)).toEqual([first, second]);
  expect([...sheet.unjudged]).toEqual([second, first]);
  sheet.change([{ row: second, field: "shipmentId", value: "S-2" }]);
  expect(first.verdict).toBe(first.served.verdictToday);
  expect([...sheet.unjudged]).toEqual([second, third]);
  expect(fourth.version).toBe(0);
});

test("a row that another client has taken leaves the shipment that it names here once: what becomes of it later concerns no other row", () => {
  const sheet = sheetOf(2);
  const [first, second] = sheet.rows;
  if (!first || !second) throw new Error("two rows");
  sheet.change([
    { row: first, field: "customerId", value: "C" },
    { row: second, field: "shipmentId", value: "S-0" },
  ]);
  const closure = { state: "submitted" as const, otherId: "o", otherName: "monday.csv", by: "another", note: null };
  sheet.setClosures([[second, closure]]);
  expect([...sheet.unjudged]).toEqual([first]);
  sheet.setVerdict(first, null);
  sheet.setClosures([[second, { ...closure, state: "corrected" }]]);
  expect(first.verdict).toBeNull();
  expect(sheet.unjudged.size).toBe(0);
});

test("two elements of a push with one shipment id are judged and sent apart: one that is not open leaves the other as it is", () => {
  const sheet = sheetOf(2, (n) => ({ element: n + 1, values: { shipmentId: "S" } }));
  const [first, second] = sheet.rows;
  if (!first || !second) throw new Error("two rows");
  expect(sheet.groupOf(second)).toEqual([second]);
  sheet.change([{ row: second, field: "customerId", value: "C" }]);
  sheet.setClosures([[first, { state: "superseded", otherId: "o", otherName: "monday.csv", by: "another", note: null }]]);
  expect([...sheet.unjudged]).toEqual([second]);
  sheet.setVerdict(second, null);
  expect(second.verdict).toBeNull();
});
