import { expect, test } from "vitest";
import { billLines, billSum, Totals } from "../../../src/http/portal/pages/activities/bills.js";
import type { ActivitiesView } from "../../../src/http/portal/pages/activities/selection.js";
import { renderPart } from "../../support/portal/renderPart.js";

const line = (chargeCode: string, customerId: string | null = "A", warehouseCode = "W1") => ({
  ...{ customerId, chargeCode, warehouseCode, quantity: "1.5", rows: 1 },
});

test("lines stand customer by customer in the order of the totals, those without a customer last, and warehouses only where they are chosen", () => {
  const totals = [line("B", "Z"), line("A", null), line("B", "A", "W2"), line("B", "A"), line("A", "A")];
  const shown = (byWarehouse: boolean) =>
    billLines(totals, byWarehouse).map(({ customerId, chargeCode, warehouseCode, quantity, rows }) =>
      [customerId, chargeCode, warehouseCode, quantity, rows].join(" "),
    );
  expect(shown(false)).toEqual(["Z B  1.5 1", "A A  1.5 1", "A B  3 2", " A  1.5 1"]);
  expect(shown(true)).toEqual(["Z B W1 1.5 1", "A A W1 1.5 1", "A B W1 1.5 1", "A B W2 1.5 1", " A W1 1.5 1"]);
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
  const visit = { query: after === undefined ? {} : { after }, links: { to: (path: string) => path } };
  const view = {
    visit,
    ...{ filter: {}, byWarehouse: false, perCustomer: false, shows: "totals" },
    nameOf: () => undefined,
  } as unknown as ActivitiesView;
  const drawn = renderPart(Totals, { view, totals }, visit);
  return [drawn.match(/data-label="Charge code"/g)?.length ?? 0, drawn.includes("Next page"), drawn.includes("First page")];
};

test.each([
  [199, undefined, [199, false, false]],
  [200, undefined, [200, false, false]],
  [201, undefined, [200, true, false]],
  [201, "200", [1, false, true]],
  [401, "200", [200, true, true]],
  [201, "100", [101, false, true]],
  [201, "-200", [200, true, false]],
  [201, "99999999", [200, true, false]],
])("%i totals, after %s: lines, next page, first page are %j", (count, after, said) => {
  expect(shown(count, after)).toEqual(said);
});
