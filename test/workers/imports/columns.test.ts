// Files whose headings are not ours: the importer applies what was chosen for their columns.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImportEvent } from "../../../src/commands/imports/importDecider.js";
import type { ColumnChoice } from "../../../src/domain/imports/columns/choice.js";
import { openSubmission } from "../../../src/judging/openSubmission.js";
import { headerXml, workbook } from "../../adapters/spreadsheets/workbook.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.start();
});
afterAll(() => stage.close());

const chosen = (choice: ColumnChoice) => ({ ...choice, by: { kind: "member", id: "ada" }, at: "2026-05-03T01:00:00.000Z" }) as const;
const dataOf = (events: readonly ImportEvent[], type: ImportEvent["type"]) =>
  events.filter((event) => event.type === type).map(({ data }) => data);

const work = { headings: { Work: "chargeCode", Qty: "quantity", "Done on": "activityTimestamp", Comments: null, "Job no.": "reference" } };
const csv = ["Work,Qty,Done on,Comments,Job no.", "PICK,2,03/04/2026 09:30,first,a", ",2,03/04/2026,second,b", "PICK,1,31/02/2026,third,c"];

test("rows are recorded under our names, with fixed values and dates in the declared order", async () => {
  const columns = chosen({ ...work, fixed: { warehouseCode: "SYD1" }, dateOrder: "dayFirst" });
  const importId = await stage.push(await stage.organisation("mapped"), "activities", csv.join("\n"), { columns });
  const events = await stage.ended(importId);
  expect(events[0]?.data).toMatchObject({ columns });
  expect(dataOf(events, "RowAccepted")).toEqual([
    {
      row: 2,
      values: { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 2, activityTimestamp: "2026-04-02T22:30:00.000Z", reference: "a" },
    },
  ]);
  const [second, third] = dataOf(events, "RowRejected");
  expect(second).toEqual({
    row: 3,
    reference: "b",
    error: "Charge code is required",
    faults: [["required", "chargeCode"]],
    // What a correction starts from: it goes in under our names, without the choice.
    data: { chargeCode: "", quantity: "2", activityTimestamp: "2026-04-03", reference: "b", warehouseCode: "SYD1" },
  });
  expect(third).toMatchObject({ row: 4, error: "Valid activity timestamp is required" });
});

test("the error report has the file's headings and cells, also of columns that are left out", async () => {
  const columns = chosen({ ...work, fixed: { warehouseCode: "SYD1" }, dateOrder: "dayFirst" });
  const importId = await stage.push(await stage.organisation("reported"), "activities", csv.join("\n"), { columns });
  await stage.ended(importId);
  const [header, first, second] = await stage.report(importId);
  expect(header).toEqual(["Row number", "Rejection reason", "Work", "Qty", "Done on", "Comments", "Job no."]);
  expect(first).toEqual(["3", "Charge code is required", "", "2", "03/04/2026", "second", "b"]);
  expect(second?.slice(2)).toEqual(["PICK", "1", "31/02/2026", "third", "c"]);
});

test("without a declared order such dates are rejected, and month first gives another day", async () => {
  const organisation = await stage.organisation("orders");
  const fixed = { warehouseCode: "SYD1" };
  const push = (choice: ColumnChoice) => stage.push(organisation, "activities", csv.slice(0, 2).join("\n"), { columns: chosen(choice) });
  const undeclared = await stage.ended(await push({ ...work, fixed }));
  expect(dataOf(undeclared, "RowRejected")).toMatchObject([{ faults: [["invalid", "activityTimestamp"]] }]);
  const monthFirst = await stage.ended(await push({ ...work, fixed, dateOrder: "monthFirst" }));
  expect(dataOf(monthFirst, "RowAccepted")).toMatchObject([{ values: { activityTimestamp: "2026-03-03T22:30:00.000Z" } }]);
});

test("lines of a shipment with the same heading twice belong together, and a custom field is found", async () => {
  const header = "Order no.,Suburb,Postcode,Suburb,Postcode,Type,Cost centre";
  const headings = {
    "Order no.": "shipmentId",
    Suburb: "originSuburb",
    Postcode: "originPostCode",
    "Suburb (2)": "destinationSuburb",
    "Postcode (2)": "destinationPostCode",
    Type: "itemType",
    "Cost centre": "customFields.costCentre",
  };
  const lines = ["A,Sydney,2000,Melbourne,3000,Box,x", "A,Sydney,2000,Melbourne,3000,Bag,x", "B,Sydney,2000,Nowhere,3000,Box,"];
  const columns = chosen({ headings, fixed: { customerId: "CUST-1" } });
  const importId = await stage.push(await stage.organisation("twice"), "shipments", [header, ...lines].join("\n"), { columns });
  const events = await stage.ended(importId);
  expect(dataOf(events, "RowAccepted")).toMatchObject([
    {
      row: 2,
      shipment: 1,
      values: { shipmentId: "A", customerId: "CUST-1", destinationSuburb: "Melbourne", customFields: { costCentre: "x" } },
    },
    { row: 3, shipment: 1, values: { item: { itemType: "Bag" } } },
  ]);
  expect(dataOf(events, "RowRejected")).toMatchObject([
    {
      error: "Destination Zone(s) not found; Missing mandatory custom field(s): costCentre",
      data: { shipmentId: "B", costCentre: "", customerId: "CUST-1" },
    },
  ]);
  expect((await stage.report(importId))[0]).toEqual(["Row number", "Rejection reason", ...header.split(",")]);
});

test("a workbook's dates are read as dates, and its texts in the declared order", async () => {
  const text = (column: string, row: number, value: string) => `<c r="${column}${row}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const row = (number: number, when: string) =>
    `<row r="${number}">${text("A", number, "W1")}${text("B", number, "PICK")}<c r="C${number}"><v>2</v></c>${when}</row>`;
  const rows = row(2, '<c r="D2"><v>46115</v></c>') + row(3, text("D", 3, "04/03/2026"));
  const bytes = workbook({ rows: headerXml("Site", "Work", "Qty", "When") + rows });
  const headings = { Site: "warehouseCode", Work: "chargeCode", Qty: "quantity", When: "activityTimestamp" };
  const columns = chosen({ headings, dateOrder: "dayFirst" });
  const importId = await stage.push(await stage.organisation("sheets"), "activities", bytes, { name: "t.xlsx", format: "xlsx", columns });
  expect(dataOf(await stage.ended(importId), "RowAccepted")).toMatchObject([
    { values: { activityTimestamp: "2026-04-02T13:00:00.000Z" } },
    { values: { activityTimestamp: "2026-03-03T13:00:00.000Z" } },
  ]);
});

test("an import whose custom field is gone when it starts fails with the field's name", async () => {
  const headings = { ...work.headings, Site: "warehouseCode", PO: "customFields.gone" };
  const file = "Work,Qty,Done on,Comments,Job no.,Site,PO\nPICK,1,2026-01-01,,,W1,1";
  const importId = await stage.push(await stage.organisation("gone"), "activities", file, { columns: chosen({ headings }) });
  expect((await stage.ended(importId)).at(-1)?.data).toMatchObject({
    reason: "Invalid file structure. PO is mapped to customFields.gone, which is not a field of these imports.",
  });
});

test("a file without a choice is read as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-columns-"));
  try {
    const { spreadsheets, catalogues } = stage.deps();
    const path = join(folder, "file");
    await writeFile(path, "warehouseCode,chargeCode,quantity,activityTimestamp\nW1,PICK,1,03/04/2026");
    const request = { kind: "activities", source: "file", file: { name: "t.csv", format: "csv" } } as const;
    const catalogue = await catalogues(await stage.organisation("plain"), 1);
    const submission = await openSubmission(spreadsheets, request, catalogue, { source: path, folder });
    for await (const { rows } of submission.read())
      expect(rows[0]).toEqual({ row: 2, cells: ["W1", "PICK", "1", "03/04/2026"], fault: null });
  } finally {
    await rm(folder, { recursive: true });
  }
});
