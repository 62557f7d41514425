import { expect, test } from "vitest";
import { billSum, type CustomerBill } from "../../../src/http/portal/pages/activities/billLines.js";
import { firstLines } from "../../../src/http/portal/pages/activities/billTable.js";
import type { OfActivities } from "../../../src/http/portal/pages/activities/selection.js";
import { Totals } from "../../../src/http/portal/pages/activities/totals.js";

const line = (chargeCode: string) => ({ chargeCode, warehouseCode: undefined, quantity: "1.5", rows: 1 });
const bills: readonly CustomerBill[] = [
  { customerId: "A", lines: [line("A1"), line("A2"), line("A3")] },
  { customerId: "B", lines: [line("B1"), line("B2")] },
];
const codes = (most: number, from = 0) => {
  const { shown, isAll } = firstLines(bills, most, from);
  return [shown.map(({ customerId, lines }) => [customerId, ...lines.map(({ chargeCode }) => chargeCode)].join(" ")), isAll];
};

test("pages of lines follow each other without a gap, and the last one is known", () => {
  expect(codes(4)).toEqual([["A A1 A2 A3", "B B1"], false]);
  expect(codes(5)).toEqual([["A A1 A2 A3", "B B1 B2"], true]);
  expect(codes(6)).toEqual([["A A1 A2 A3", "B B1 B2"], true]);
  expect(codes(2, 2)).toEqual([["A A3", "B B1"], false]);
  expect(codes(2, 4)).toEqual([["B B2"], true]);
  expect(codes(2, 6)).toEqual([[], true]);
});

test("quantities of one charge code are added up, those of several are not; rows always are", () => {
  expect(billSum([line("PICK"), line("PICK")])).toEqual({ quantity: "3", rows: 2 });
  expect(billSum([line("PICK"), line("PACK")])).toEqual({ quantity: undefined, rows: 2 });
  expect(billSum([])).toEqual({ quantity: "0", rows: 0 });
});

const shown = (count: number, after?: string) => {
  const totals = Array.from({ length: count }, (_, n) => ({
    customerId: "A",
    warehouseCode: "W1",
    chargeCode: `C${String(n).padStart(4, "0")}`,
    quantity: "1",
    rows: 1,
  }));
  const of = {
    visit: {
      query: after === undefined ? {} : { after },
      links: { to: (path: string, query: object) => `${path}?${JSON.stringify(query)}` },
    },
    selection: { byWarehouse: false, perCustomer: false, customer: "", warehouse: "", charge: "", view: "totals" },
    nameOf: () => undefined,
  } as unknown as OfActivities;
  const drawn = String(Totals({ of, totals }));
  return [drawn.match(/data-label="Charge code"/g)?.length ?? 0, drawn.includes("Next page"), drawn.includes("First page")];
};

test.each([
  [199, undefined, [199, false, false]],
  [200, undefined, [200, false, false]],
  [201, undefined, [200, true, false]],
  [201, "200", [1, false, true]],
  [401, "200", [200, true, true]],
  [201, "100", [200, true, false]],
  [201, "-200", [200, true, false]],
  [201, "99999999", [200, true, false]],
])("%i totals, after %s: lines, next page, first page are %j", (count, after, said) => {
  expect(shown(count, after)).toEqual(said);
});
