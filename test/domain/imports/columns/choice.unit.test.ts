import { expect, test } from "vitest";
import {
  applyChoice,
  type ColumnChoice,
  choiceFaults,
  choosableFields,
  fieldTexts,
  isSameChoice,
} from "../../../../src/domain/imports/columns/choice.js";
import { cellMapper } from "../../../../src/judging/openSubmission.js";

const activities = { kind: "activities", customFields: [] } as const;
const shipments = {
  kind: "shipments",
  customFields: [
    { key: "po", label: "Purchase order" },
    { key: "itemtype", label: "Their type" },
  ],
} as const;

const headings = { Site: "warehouseCode", Work: "chargeCode", Qty: "quantity", When: "activityTimestamp", Notes: null };
const columns = Object.keys(headings);

test("each column holds what was chosen, and the fixed values follow", () => {
  const choice = {
    headings: { Work: "chargeCode", Qty: "quantity", When: "activityTimestamp", Notes: null },
    fixed: { warehouseCode: "SYD1" },
  };
  expect(applyChoice(["Work", "", " Qty ", "When", "Notes"], choice, activities)).toEqual({
    ok: true,
    fields: ["chargeCode", undefined, "quantity", "activityTimestamp", undefined, "warehouseCode"],
    names: ["chargeCode", "", "quantity", "activityTimestamp", "", "warehouseCode"],
    fixed: ["SYD1"],
  });
});

test("a custom field has its key as a name, or the long name where the key is a field's", () => {
  const places = { A: "originPostCode", B: "originSuburb", C: "destinationPostCode", D: "destinationSuburb" };
  const choice = { headings: { Id: "shipmentId", Type: "itemType", ...places, PO: "customFields.po", T: "customFields.itemtype" } };
  expect(applyChoice(Object.keys(choice.headings), choice, shipments)).toMatchObject({
    fields: expect.arrayContaining(["customFields.po", "customFields.itemtype"]),
    names: ["shipmentId", "itemType", ...Object.values(places), "po", "customFields.itemtype"],
  });
});

test.each<[string, ColumnChoice, string[]]>([
  [
    "two columns for one field",
    { headings: { ...headings, Client: "customerId", Cust: "customerId" } },
    ["Customer is taken from Client and Cust. Choose Do not import for all but one."],
  ],
  [
    "a fixed value beside a column",
    { headings, fixed: { warehouseCode: "SYD1" } },
    ["Warehouse code has a fixed value, and a column: Site. Remove the value, or do not import the column."],
  ],
  [
    "unknown fields",
    { headings: { ...headings, Notes: "itemType" }, fixed: { "customFields.po": "1" } },
    [
      "Notes is mapped to itemType, which is not a field of these imports.",
      "customFields.po has a fixed value, and is no field of these imports.",
    ],
  ],
  [
    "required fields without a column",
    { headings: { ...headings, Site: null, Qty: null } },
    [
      "Warehouse code is required. Choose a column for it, or give a fixed value.",
      "Quantity is required. Choose a column for it, or give a fixed value.",
    ],
  ],
  ["a blank fixed value", { headings, fixed: { status: " " } }, ["The fixed value of Status is blank."]],
  [
    "a fixed value that cannot be stored",
    { headings, fixed: { status: "a\0b" } },
    ["The fixed value of Status holds characters that cannot be stored."],
  ],
])("%s are refused by name", (_, choice, faults) => {
  expect(choiceFaults(choice, activities)).toEqual(faults);
  expect(applyChoice(Object.keys(choice.headings), choice, activities)).toEqual({
    ok: false,
    message: ["Invalid file structure.", ...faults].join(" "),
  });
});

test.each([
  ["customerId", 200, "Customer"],
  ["status", 1000, "Status"],
])("a fixed %s has at most %i characters", (field, longest, label) => {
  const faults = [-1, 0, 1].map((more) => choiceFaults({ headings, fixed: { [field]: "\u{1f69a}".repeat(longest + more) } }, activities));
  expect(faults).toEqual([[], [], [`The fixed value of ${label} is longer than ${longest} characters.`]]);
});

test("a file with other headings is refused by their names", () => {
  expect(applyChoice([...columns.slice(1), "Extra"], { headings }, activities)).toEqual({
    ok: false,
    message: "Invalid file structure. Unrecognised column(s): Extra. Missing column(s): Site.",
  });
});

test("headings that every object has are headings like others", () => {
  const choice = { headings: { ...headings, constructor: null } };
  expect(applyChoice([...columns, "constructor"], choice, activities)).toMatchObject({ ok: true });
  expect(applyChoice([...columns, "constructor"], { headings }, activities)).toMatchObject({ ok: false });
});

test("the same choice in another order is the same", () => {
  const turned = Object.fromEntries(Object.entries(headings).reverse());
  expect(isSameChoice({ headings }, { headings: turned, fixed: {}, dateOrder: undefined })).toBe(true);
  expect(isSameChoice({ headings }, { headings: { ...headings, Notes: "status" } })).toBe(false);
  expect(isSameChoice({ headings }, { headings, dateOrder: "dayFirst" })).toBe(false);
  expect(isSameChoice({ headings }, { headings, fixed: { status: "done" } })).toBe(false);
});

test("dates are written as ISO 8601 has them only in columns of times, and fixed values are added to every row", () => {
  const applied = { kind: "activities", fields: ["activityTimestamp", "reference", "warehouseCode"], fixed: ["SYD1"] } as const;
  const faulty = { fault: "holds #REF!", text: "#REF!" };
  const map = cellMapper({ ...applied, dateOrder: "dayFirst" });
  expect(map(["03/04/2026", "03/04/2026"])).toEqual(["2026-04-03", "03/04/2026", "SYD1"]);
  expect(map(["31/02/2026", "x"])).toEqual(["31/02/2026", "x", "SYD1"]);
  expect(map([faulty, "x"])).toEqual([faulty, "x", "SYD1"]);
  expect(cellMapper(applied)(["03/04/2026", "x"])).toEqual(["03/04/2026", "x", "SYD1"]);
});

test("a fixed time is read in the declared order too", () => {
  const map = cellMapper({ kind: "activities", fields: ["quantity", "activityTimestamp"], fixed: ["03/04/2026"], dateOrder: "monthFirst" });
  expect(map(["1"])).toEqual(["1", "2026-03-04"]);
});

test("a field is written by its label, or by its name where another field has the same label or that name", () => {
  const customFields = [
    { key: "po", label: "Purchase order" },
    { key: "po2", label: "PURCHASE order" },
    { key: "own", label: "customerId" },
    { key: "plain", label: "Plain" },
  ];
  const fields = choosableFields({ kind: "shipments", customFields });
  const { nameOf, textOf } = fieldTexts(fields);
  expect(fields.map((field) => nameOf(textOf(field)))).toEqual(fields.map(({ name }) => name));
  expect(fields.slice(-4).map(textOf)).toEqual(["customFields.po", "customFields.po2", "customFields.own", "Plain"]);
  expect(["PLAIN", "origin Suburb", "customerId", "Customer", "Purchase order", ""].map(nameOf)).toEqual([
    ...["customFields.plain", "originSuburb", "customerId", "customerId", "Purchase order", ""],
  ]);
});
