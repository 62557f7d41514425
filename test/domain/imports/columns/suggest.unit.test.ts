import { expect, test } from "vitest";
import { choosableFields } from "../../../../src/domain/imports/columns/choice.js";
import { likelyKind, suggestColumns } from "../../../../src/domain/imports/columns/suggest.js";

const shipments = { kind: "shipments", customFields: [{ key: "po_number", label: "Purchase order" }] } as const;
const activities = { kind: "activities", customFields: [] } as const;

test.each([shipments, activities])("every field of $kind is found by its name and by its label, in any letter case", (of) => {
  for (const { name, label } of choosableFields(of)) {
    const spelled = [name, label, label.toUpperCase(), label.replaceAll(" ", "_"), `  ${label.split(" ").reverse().join(" - ")}`];
    for (const heading of spelled) expect([heading, suggestColumns([heading], of, []).get(heading)]).toEqual([heading, name]);
  }
});

test.each([
  ["Order no.", "shipmentId"],
  ["Order #", "shipmentId"],
  ["CONNOTE", "shipmentId"],
  ["Cust", "customerId"],
  ["Customer", "customerId"],
  ["Account code", "customerId"],
  ["Post code", "destinationPostCode"],
  ["Zip", "destinationPostCode"],
  ["From postal code", "originPostCode"],
  ["Sender's town", "originSuburb"],
  ["Sender town", "originSuburb"],
  ["Ship-to city", "destinationSuburb"],
  ["Delivery state", "destinationState"],
  ["Country of origin", "originCountryCode"],
  ["Qty", "itemQuantity"],
  ["Item qty", "itemQuantity"],
  ["Weight (kg)", "itemWeight"],
  ["Purchase Order", "customFields.po_number"],
  ["Comments", undefined],
  ["Delivery date", undefined],
  ["Rejection reason", null],
])("a column %s of shipments is taken for %s", (heading, field) => {
  expect(suggestColumns([heading], shipments, []).get(heading)).toBe(field);
});

test.each([
  ["WH", "warehouseCode"],
  ["Qty", "quantity"],
  ["Date done", "activityTimestamp"],
  ["Order no.", "reference"],
  ["Your ref", "reference"],
  ["Activity", "chargeCode"],
  ["Post code", undefined],
])("a column %s of activities is taken for %s", (heading, field) => {
  expect(suggestColumns([heading], activities, []).get(heading)).toBe(field);
});

test("a field is suggested once, for the heading that fits best", () => {
  const headings = ["Order", "Order number", "Shipment ID", "Postcode", "Postcode (2)", "Origin postcode"];
  expect([...suggestColumns(headings, shipments, [])]).toEqual([
    ["Order", undefined],
    ["Order number", undefined],
    ["Shipment ID", "shipmentId"],
    ["Postcode", "destinationPostCode"],
    ["Postcode (2)", undefined],
    ["Origin postcode", "originPostCode"],
  ]);
});

test("what was chosen before comes first, the newest before older ones", () => {
  const before = [
    { headings: { "Job Ref": "shipmentId", Comments: null, Gone: "customFields.gone" } },
    { headings: { "job-ref": "rateCardAlias", Gone: "rateCardAlias" } },
  ];
  expect([...suggestColumns(["JOB REF", "Shipment ID", "comments", "Gone"], shipments, before)]).toEqual([
    ["JOB REF", "shipmentId"],
    ["Shipment ID", undefined],
    ["comments", null],
    ["Gone", "rateCardAlias"],
  ]);
});

test.each<[string, string[], ReturnType<typeof likelyKind>]>([
  ["picks", ["Whs", "Activity", "Qty", "Done on"], "activities"],
  ["one column of picks", ["Charge code"], "activities"],
  ["despatches", ["Order no.", "From suburb", "From post code", "Receiver town", "Post code", "Qty"], "shipments"],
  ["what both have", ["Customer"], undefined],
  ["nothing known", ["x", "y"], undefined],
])("the headings of %s are recognised", (_, headings, kind) => {
  expect(likelyKind(headings, [])).toBe(kind);
});
