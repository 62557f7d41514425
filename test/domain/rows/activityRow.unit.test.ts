import { describe, expect, test } from "vitest";
import type { Cell } from "../../../src/domain/rows/cells.js";
import { activityJudge } from "../../../src/domain/rows/rowJudges.js";
import { context, rowOf, table } from "./sample.js";

const columns = table("warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status");
const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: "3", activityTimestamp: "2026-03-01T09:30:00Z" };
const judge = activityJudge(columns, context);
const judged = (values: Record<string, Cell>) => judge(rowOf(columns, { ...good, ...values }));

const unsaved = { fault: "holds a formula without a stored result", text: "" };

test("a good activity is recorded with the fields that were given", () => {
  expect(judged({})).toEqual({ values: { ...good, quantity: 3 } });
  expect(judged({ customerId: "CUST-2", reference: " ORDER 7 ", status: "done" })).toEqual({
    values: { ...good, quantity: 3, customerId: "CUST-2", reference: "ORDER 7", status: "done" },
  });
});

test.each<[string, Record<string, Cell>]>([
  ["Warehouse code is required", { warehouseCode: " " }],
  ["Charge code is required", { chargeCode: "" }],
  ["Valid quantity is required", { quantity: "" }],
  ["Valid quantity is required", { quantity: "0" }],
  ["Valid quantity is required", { quantity: "-0.00" }],
  ["Valid quantity is required", { quantity: "three" }],
  ["Valid quantity is required", { quantity: "0x10" }],
  ["Valid quantity is required", { quantity: "1e15" }],
  ["Valid quantity is required", { quantity: "1,000" }],
  ["Valid quantity is required; quantity holds #REF!", { quantity: { fault: "holds #REF!", text: "#REF!" } }],
  ["Valid activity timestamp is required", { activityTimestamp: "" }],
  ["Valid activity timestamp is required", { activityTimestamp: "yesterday" }],
  ["Valid activity timestamp is required", { activityTimestamp: "2026-02-30T00:00:00Z" }],
  ["Valid activity timestamp is required", { activityTimestamp: "18:00:00" }],
  ["Valid activity timestamp is required", { activityTimestamp: "6/10/2026" }],
  [`Valid activity timestamp is required; activityTimestamp ${unsaved.fault}`, { activityTimestamp: unsaved }],
  ["Customer not found", { customerId: "CUST-9" }],
  ["reference is longer than 1000 characters", { reference: "x".repeat(1001) }],
  ["reference holds characters that cannot be stored", { reference: "a\0b" }],
  ["status holds characters that cannot be stored", { status: "\ud800" }],
  ["warehouseCode holds #N/A", { warehouseCode: { fault: "holds #N/A", text: "#N/A" } }],
])("the reason reads %j for %j", (reason, values) => {
  expect(judged(values)).toMatchObject({ reason });
});

test("a row with several faults lists them all", () => {
  expect(judge(rowOf(columns, {}))).toMatchObject({
    reason: "Warehouse code is required; Charge code is required; Valid quantity is required; Valid activity timestamp is required",
  });
});

test("a formula without a stored result is named in every column", () => {
  for (const name of columns.names) expect(judged({ [name]: unsaved }).reason?.split("; ")).toContain(`${name} ${unsaved.fault}`);
});

test("a row that the file's reader found faulty is rejected with the reader's reason", () => {
  expect(judge(rowOf(columns, good, { fault: "The row has more cells than the header" }))).toMatchObject({
    reason: "The row has more cells than the header",
  });
});

describe("values", () => {
  test("a negative quantity is accepted", () => {
    expect(judged({ quantity: "-2.50" })).toMatchObject({ values: { quantity: -2.5 } });
  });

  test("a time with a zone is kept as it was sent, one without is the organisation's wall time", () => {
    expect(judged({ activityTimestamp: "2026-03-01T20:30:00+11:00" })).toMatchObject({
      values: { activityTimestamp: "2026-03-01T20:30:00+11:00" },
    });
    expect(judged({ activityTimestamp: "2026-03-01 20:30" })).toMatchObject({ values: { activityTimestamp: "2026-03-01T09:30:00.000Z" } });
  });

  test("emoji are kept", () => {
    expect(judged({ reference: "pallet 📦" })).toMatchObject({ values: { reference: "pallet 📦" } });
  });

  test("a file may leave out the optional columns", () => {
    const few = table("quantity", "chargeCode", "warehouseCode", "activityTimestamp");
    expect(activityJudge(few, context)(rowOf(few, good))).toEqual({ values: { ...good, quantity: 3 } });
  });
});
