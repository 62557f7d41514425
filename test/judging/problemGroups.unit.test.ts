import { describe, expect, test } from "vitest";
import { fault, type RowReason, reasonOf } from "../../src/domain/rows/faults.js";
import {
  createProblemCounter,
  maxKeptGroups,
  maxKeptValues,
  maxShownGroups,
  maxShownInOrder,
  maxShownRows,
  maxShownValues,
} from "../../src/judging/problemGroups.js";

const fields = ["quantity", undefined, "customerId", "customFields.colour"];
const heading = (field: string) => (field === "quantity" ? "Qty" : field);
const quantity = fault("invalid", "Valid quantity is required", "quantity");
const customer = fault("unknownCustomer", "Customer not found", "customerId");
const row = (number: number, ...cells: string[]) => ({ row: number, cells, fault: null });

function counted(rows: Iterable<readonly [cells: readonly string[], why: RowReason]>) {
  const counter = createProblemCounter({ fields }, heading);
  let number = 1;
  for (const [cells, why] of rows) counter.add(row(++number, ...cells), why);
  return counter.problems();
}
const times = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => item(index));
const nothing = { kinds: 0, rows: 0, atLeast: false };

describe("problems by reason", () => {
  test("the most frequent reason and the most frequent values come first; the first rows have their values", () => {
    const both = reasonOf([quantity, customer]);
    const { groups, more } = counted([
      [["0", "", "C1"], both],
      [[" ", "", "C1"], reasonOf([quantity])],
      [["none", "", "C1"], reasonOf([quantity])],
      [["none", "", "C2"], reasonOf([quantity])],
    ]);
    expect(groups).toEqual([
      {
        reason: "Valid quantity is required",
        ...{ rows: 3, withShipment: 0 },
        values: [
          {
            ...{ columns: ["Qty"], moreColumns: 0, more: nothing },
            values: [
              { value: "none", rows: 2 },
              { value: "", rows: 1 },
            ],
          },
        ],
        first: ["", "none", "none"].map((value, index) => ({
          ...{ row: index + 3, columns: ["Qty"], values: [value], moreColumns: 0, reason: "Valid quantity is required" },
        })),
      },
      {
        reason: "Valid quantity is required; Customer not found",
        ...{ rows: 1, withShipment: 0 },
        values: [
          { columns: ["Qty"], moreColumns: 0, values: [{ value: "0", rows: 1 }], more: nothing },
          { columns: ["customerId"], moreColumns: 0, values: [{ value: "C1", rows: 1 }], more: nothing },
        ],
        first: [
          {
            ...{ row: 2, columns: ["Qty", "customerId"], values: ["0", "C1"], moreColumns: 0 },
            reason: "Valid quantity is required; Customer not found",
          },
        ],
      },
    ]);
    expect(more).toEqual(nothing);
  });

  test("a line that is rejected with its shipment counts for the reason of the line at fault, before it or after it", () => {
    const led = { reason: "Rejected with its shipment: Customer not found", faults: [], lead: 3 };
    const { groups } = counted([
      [["1", "", ""], led],
      [["1", "", "NOBODY"], reasonOf([customer])],
      [["1", "", ""], led],
    ]);
    expect(
      groups.map(({ reason, rows, withShipment, first }) => [reason, rows, withShipment, first.map((problem) => problem.row)]),
    ).toEqual([["Customer not found", 3, 2, [3]]]);
  });

  test("columns that several faults have in common are counted once, and a field without a column is blank", () => {
    const contradiction = fault("contradiction", "Contradicts", "customerId");
    const missing = fault("missingCustomField", "Missing", "customFields.size", "customFields.colour");
    const [group] = counted([[["1", "", "C9", "red"], reasonOf([customer, contradiction, missing])]]).groups;
    expect(group?.values.map(({ columns, values }) => [columns, values[0]?.value])).toEqual([
      [["customerId"], "C9"],
      [["customFields.size", "customFields.colour"], "red"],
    ]);
  });

  test("a fault of the row as a whole has no values", () => {
    const [group] = counted([[["1"], reasonOf([fault("unusableRow", "The row is broken")])]]).groups;
    expect(group).toMatchObject({ values: [], first: [{ row: 2, columns: [], values: [] }] });
  });

  test.each([maxShownRows - 1, maxShownRows, maxShownRows + 1])("of %i rows at most the first five are named", (rows) => {
    const [group] = counted(times(rows, () => [["0"], reasonOf([quantity])] as const)).groups;
    expect([group?.rows, group?.first.map((problem) => problem.row)]).toEqual([rows, times(Math.min(rows, 5), (index) => index + 2)]);
  });

  test.each([maxShownInOrder - 1, maxShownInOrder, maxShownInOrder + 1])(
    "of %i rows at most the first hundred are named in the file's order",
    (rows) => {
      const led = { reason: "Rejected with its shipment: Customer not found", faults: [], lead: 3 };
      const reasons = [reasonOf([quantity]), reasonOf([customer]), led];
      const { inOrder } = counted(times(rows, (index) => [["0"], reasons[index % 3] ?? led] as const));
      expect(inOrder.map(({ row }) => row)).toEqual(times(Math.min(rows, 100), (index) => index + 2));
      expect(inOrder.slice(0, 3).map(({ columns, reason }) => [columns, reason])).toEqual([
        [["Qty"], "Valid quantity is required"],
        [["customerId"], "Customer not found"],
        [[], led.reason],
      ]);
    },
  );

  test.each([
    [maxShownValues, nothing],
    [maxShownValues + 1, { kinds: 1, rows: 1, atLeast: false }],
    [maxKeptValues, { kinds: maxKeptValues - maxShownValues, rows: maxKeptValues - maxShownValues, atLeast: false }],
    [maxKeptValues + 1, { kinds: maxKeptValues - maxShownValues, rows: maxKeptValues - maxShownValues + 1, atLeast: true }],
  ])("of %i different values five are named, and the rest is told", (values, more) => {
    const [group] = counted(times(values, (index) => [[`v${index}`], reasonOf([quantity])] as const)).groups;
    expect(group?.values[0]?.values.map(({ value }) => value)).toEqual(times(maxShownValues, (index) => `v${index}`));
    expect(group?.values[0]?.more).toEqual(more);
  });

  const reasonNumber = (index: number) => reasonOf([fault("unusableRow", `Reason ${index}`)]);
  test.each([
    [maxShownGroups, nothing],
    [maxShownGroups + 1, { kinds: 1, rows: 1, atLeast: false }],
    [maxKeptGroups, { kinds: maxKeptGroups - maxShownGroups, rows: maxKeptGroups - maxShownGroups, atLeast: false }],
    [maxKeptGroups + 1, { kinds: maxKeptGroups - maxShownGroups, rows: maxKeptGroups - maxShownGroups + 1, atLeast: true }],
  ])("of %i reasons twenty are named, and the rest is told", (reasons, more) => {
    const found = counted(times(reasons, (index) => [["1"], reasonNumber(index)] as const));
    expect([found.groups.length, found.more]).toEqual([maxShownGroups, more]);
  });

  test("what crosses to the other process is small, whatever a row holds", () => {
    const long = "\u{1f69a}".repeat(2_000);
    const wide = times(200, (index) => `customFields.${"k".repeat(200)}${index}`);
    const counter = createProblemCounter({ fields: wide }, (field) => field);
    for (let group = 0; group < 21; group += 1)
      for (let index = 0; index < 10; index += 1) {
        const why = reasonOf([fault("missingCustomField", `${group} ${long}`, ...wide), quantity]);
        counter.add(row(index, ...times(6, (column) => `${group} ${index} ${column} ${long}`)), why);
      }
    const problems = counter.problems();
    expect(problems.groups.length).toBe(20);
    expect(JSON.stringify(problems).length).toBeLessThan(750_000);
  });

  test("a cell with characters that cannot be shown becomes one that can", () => {
    const [group] = counted([[["a\0b\ud800"], reasonOf([quantity])]]).groups;
    expect(group?.first[0]?.values).toEqual(["a\ufffdb\ufffd"]);
  });
});
