import { expect, test } from "vitest";
import type { Cell } from "../../../src/domain/rows/cells.js";
import { type RowReason, reasonWithAdvice } from "../../../src/domain/rows/faults.js";
import { shipmentLineJudge } from "../../../src/domain/rows/rowJudges.js";
import { context, rowOf, table } from "./sample.js";

const columns = table(
  "shipmentId",
  "customerId",
  "originPostCode",
  "originSuburb",
  "originState",
  "originCountryCode",
  "destinationPostCode",
  "destinationSuburb",
  "quoteDate",
  "rateCardAlias",
  "totalCostReceived",
  "customFields.costCentre",
  "customFields.jobNumber",
  "itemType",
  "itemQuantity",
  "itemWeight",
);
const good = {
  shipmentId: "S-1",
  originPostCode: "2000",
  originSuburb: "Sydney",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  itemType: "Pallet",
};
const judge = shipmentLineJudge(columns, context);
const judged = (values: Record<string, Cell>) => judge(rowOf(columns, { ...good, ...values })).judged;

test("a good line is recorded with its shipment's fields and its goods, and with no field that was not given", () => {
  const { itemType, ...fields } = good;
  expect(judged({})).toEqual({ values: { ...fields, item: { itemType } } });
  const all = { customerId: "CUST-1", originState: "nsw", quoteDate: "2026-03-01", rateCardAlias: "any", totalCostReceived: "-3.10" };
  expect(judged({ ...all, "customFields.costCentre": "7", "customFields.jobNumber": "J", itemQuantity: "2", itemWeight: "10.50" })).toEqual(
    {
      values: {
        ...fields,
        ...all,
        quoteDate: "2026-02-28T13:00:00.000Z",
        totalCostReceived: -3.1,
        customFields: { costCentre: "7", jobNumber: "J" },
        item: { itemType, itemQuantity: 2, itemWeight: 10.5 },
      },
    },
  );
});

test.each<[string, Record<string, Cell>]>([
  ["No Shipment ID found", { shipmentId: "  " }],
  ["Origin Zone(s) not found", { originPostCode: "9999" }],
  ["Origin Zone(s) not found", { originPostCode: "" }],
  ["Origin Zone(s) not found", { originState: "VIC" }],
  ["Origin Zone(s) not found", { originCountryCode: "XX" }],
  ["Destination Zone(s) not found", { destinationSuburb: "Sydney" }],
  ["Missing mandatory custom field(s): costCentre, jobNumber", { customerId: "CUST-1" }],
  ["Missing mandatory custom field(s): jobNumber", { customerId: "CUST-1", "customFields.costCentre": "7", "customFields.jobNumber": " " }],
  ["Missing mandatory custom field(s): valueOf", { customerId: "CUST-3", "customFields.costCentre": "7" }],
  ["Customer not found", { customerId: "cust-1" }],
  ["Valid quote date is required", { quoteDate: "2026-13-01" }],
  ["Valid total cost received is required", { totalCostReceived: "$5" }],
  ["Item type is required", { itemType: "" }],
  ["Valid item quantity is required", { itemQuantity: "0" }],
  ["Valid item quantity is required", { itemQuantity: "-1" }],
  ["Valid item quantity is required", { itemQuantity: "two" }],
  ["Valid item weight is required", { itemWeight: "0" }],
  ["Valid item weight is required; itemWeight holds #DIV/0!", { itemWeight: { fault: "holds #DIV/0!", text: "#DIV/0!" } }],
  ["shipmentId is longer than 200 characters", { shipmentId: "x".repeat(201) }],
  ["shipmentId is longer than 200 characters", { shipmentId: "🚚".repeat(201) }],
  ["originSuburb holds #REF!", { originSuburb: { fault: "holds #REF!", text: "#REF!" } }],
  [
    "Origin Zone(s) not found; Destination Zone(s) not found; Valid item weight is required",
    { originSuburb: "x", destinationSuburb: "y", itemWeight: "z" },
  ],
])("the reason reads %j for %j", (reason, values) => {
  expect(judged(values)).toMatchObject({ reason });
});

test("a formula without a stored result is named in every column", () => {
  const unsaved = { fault: "holds a formula without a stored result", text: "" };
  for (const name of columns.names) expect(judged({ [name]: unsaved }).reason?.split("; ")).toContain(`${name} ${unsaved.fault}`);
});

test.each([
  [{ quoteDate: "6/10/2026" }, "Valid quote date is required", /^Valid quote date is required: write it as 2026-10-06, .*[+]10:00$/],
  [{ quoteDate: "soon" }, "Valid quote date is required", /^Valid quote date is required$/],
  [
    { destinationPostCode: "9999" },
    "Destination Zone(s) not found",
    /^Destination Zone\(s\) not found: postcode "9999" is not a postcode of Australia$/,
  ],
])("a row with %j has the contract's reason, and people are told what is wrong", (values, reason, told) => {
  const found = judged(values);
  expect(found.reason).toBe(reason);
  expect(reasonWithAdvice(found as RowReason)).toMatch(told);
});

test.each([
  ["800", "0800"],
  ["0800", "0800"],
  ["872", "0872"],
  ["0872", "0872"],
])("postcode %s is recorded as %s", (written, recorded) => {
  const darwin = {
    postalCode: recorded,
    suburb: "Darwin",
    city: "Darwin",
    state: "NT",
    stateName: "Northern Territory",
    countryCode: "AU",
  };
  const northern = shipmentLineJudge(columns, { ...context, locate: () => darwin });
  expect(northern(rowOf(columns, { ...good, originPostCode: written })).judged).toMatchObject({ values: { originPostCode: recorded } });
});

test("an emoji counts as one character", () => {
  expect(judged({ shipmentId: "🚚".repeat(200) })).toMatchObject({ values: { shipmentId: "🚚".repeat(200) } });
});

test("a row that is too long for an event is rejected, also when no single cell is too long", () => {
  const fields = Array.from({ length: 120 }, (_, index) => `customFields.c${index}`);
  const wide = table(...Object.keys(good), ...fields);
  const row = rowOf(wide, { ...good, ...Object.fromEntries(fields.map((field) => [field, "\u0001".repeat(900)])) });
  expect(shipmentLineJudge(wide, context)(row).judged).toMatchObject({ reason: "The row is longer than 100000 characters" });
});
