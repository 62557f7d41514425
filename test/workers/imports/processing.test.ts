import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImportEvent } from "../../../src/commands/imports/importDecider.js";
import { maxBytesInMemory } from "../../../src/workers/imports/importing/fetchSubmission.js";
import { headerXml, workbook } from "../../adapters/spreadsheets/workbook.js";
import { activities, activityHeader, badActivity, goodActivity, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.start();
});
afterAll(() => stage.close());

const types = (events: readonly ImportEvent[]) => events.map((event) => event.type);
type DataOf<Type extends ImportEvent["type"]> = Extract<ImportEvent, { type: Type }>["data"];
const dataOf = <Type extends ImportEvent["type"]>(events: readonly ImportEvent[], type: Type) =>
  events.filter((event) => event.type === type).map((event) => event.data as DataOf<Type>);

test("the stream of an activity import is: requested, started, one outcome per row in row order, completed", async () => {
  const organisation = await stage.organisation("plain");
  const importId = await stage.push(
    organisation,
    "activities",
    [activityHeader, goodActivity("a"), badActivity("b"), goodActivity("")].join("\n"),
  );
  const events = await stage.ended(importId);
  expect(types(events)).toEqual(["ImportRequested", "ImportStarted", "RowAccepted", "RowRejected", "RowAccepted", "ImportCompleted"]);
  expect(events[1]?.data).toMatchObject({ importId, catalogueVersion: 1, localities: { NZ: "some-checksum" } });
  const values = { warehouseCode: "W1", chargeCode: "PICK", quantity: 2, activityTimestamp: "2026-03-01T09:30:00Z" };
  expect(events[2]?.data).toEqual({ row: 2, values: { ...values, reference: "a" } });
  expect(events[3]?.data).toEqual({
    row: 3,
    reference: "b",
    error: "Charge code is required",
    faults: [["required", "chargeCode"]],
    data: { warehouseCode: "W1", chargeCode: "", quantity: "2", activityTimestamp: "2026-03-01T09:30:00Z", reference: "b" },
  });
  expect(events[4]?.data).toEqual({ row: 4, values });
  const report = { key: await stage.reportKey(importId), size: expect.any(Number) };
  expect(events[5]?.data).toMatchObject({ importId, counts: { received: 3, processed: 2, failed: 1 }, report, notes: [] });
  expect(await stage.report(importId)).toEqual([
    ["Row number", "Rejection reason", "warehouseCode", "chargeCode", "quantity", "activityTimestamp", "reference"],
    ["3", "Charge code is required", "W1", "", "2", "2026-03-01T09:30:00Z", "b"],
  ]);
  await until(async () => (await stage.pool.query("select 1 from import_queue where import_id = $1", [importId])).rowCount === 0);
});

test("an import without rejected rows has no report", async () => {
  const importId = await stage.push(await stage.organisation("clean"), "activities", activities(3));
  const events = await stage.ended(importId);
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: 3, processed: 3, failed: 0 }, report: null });
  expect(await stage.objectStore.exists(await stage.reportKey(importId))).toBe(false);
});

test("processed counts shipments, received and failed count rows, and a faulty line rejects its whole shipment", async () => {
  const header = "itemType,shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemQuantity";
  const line = (id: string, type = "Box", quantity = "1") => `${type},${id},2000,Sydney,3000,Melbourne,${quantity}`;
  const csv = [header, line("A"), line("B"), line("A", "Pallet"), line("B", "Box", "none"), line(""), line("C")].join("\n");
  const importId = await stage.push(await stage.organisation("shipper"), "shipments", csv);
  const events = await stage.ended(importId);
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: 6, processed: 2, failed: 3 } });
  const fields = { originPostCode: "2000", originSuburb: "Sydney", destinationPostCode: "3000", destinationSuburb: "Melbourne" };
  expect(dataOf(events, "RowAccepted")).toEqual([
    { row: 2, shipment: 1, values: { shipmentId: "A", ...fields, item: { itemType: "Box", itemQuantity: 1 } } },
    { row: 4, shipment: 1, values: { shipmentId: "A", ...fields, item: { itemType: "Pallet", itemQuantity: 1 } } },
    { row: 7, shipment: 2, values: { shipmentId: "C", ...fields, item: { itemType: "Box", itemQuantity: 1 } } },
  ]);
  expect(dataOf(events, "RowRejected").map(({ data: _, ...rest }) => rest)).toEqual([
    { row: 3, shipmentId: "B", error: "Rejected with its shipment: Valid item quantity is required", lead: 5 },
    { row: 5, shipmentId: "B", error: "Valid item quantity is required", faults: [["invalid", "itemQuantity"]] },
    { row: 6, shipmentId: "", error: "No Shipment ID found", faults: [["required", "shipmentId"]] },
  ]);
});

test("two elements of a JSON push with one shipmentId are two shipments, and rows count from 1", async () => {
  const header = "#,shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,customFields.costCentre,itemType";
  const rows = [
    "1,A,2000,Sydney,3000,Melbourne,x,Box",
    "1,A,2000,Sydney,3000,Melbourne,x,Bag",
    "2,A,3000,Melbourne,2000,Sydney,,Box",
    "3,A,1,,1,,,Box",
  ];
  const importId = await stage.push(await stage.organisation("pusher"), "shipments", [header, ...rows].join("\r\n"), { source: "data" });
  const events = await stage.ended(importId);
  expect(dataOf(events, "RowAccepted").map(({ row, shipment }) => [row, shipment])).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
  ]);
  expect(dataOf(events, "RowRejected")).toEqual([
    {
      row: 4,
      shipmentId: "A",
      error: "Origin Zone(s) not found; Destination Zone(s) not found",
      faults: [
        ["zoneNotFound", "originPostCode", "originSuburb"],
        ["zoneNotFound", "destinationPostCode", "destinationSuburb"],
      ],
      element: 4,
      data: { shipmentId: "A", originPostCode: "1", destinationPostCode: "1", itemType: "Box" },
    },
  ]);
  expect((await stage.report(importId))[0]).not.toContain("#");
});

test("a report can be sent again as it is: its rows are judged as before, its own columns left out", async () => {
  const organisation = await stage.organisation("again");
  const csv = [activityHeader, badActivity("b"), goodActivity("g"), `W1,PICK,0,2026-03-01T09:30:00Z,007`].join("\n");
  const first = await stage.push(organisation, "activities", csv);
  await stage.ended(first);
  const again = await stage.push(organisation, "activities", await stage.reportBytes(first), { name: "report.xlsx", format: "xlsx" });
  const events = await stage.ended(again);
  expect(dataOf(events, "RowRejected").map(({ row, error, data }) => ({ row, error, reference: data["reference"] }))).toEqual([
    { row: 2, error: "Charge code is required", reference: "b" },
    { row: 3, error: "Valid quantity is required", reference: "007" },
  ]);
  expect((await stage.report(again))[0]).toEqual((await stage.report(first))[0]);
});

test("a rejected row has the contract's column names, whatever the file's; its report has the file's", async () => {
  const padded = `warehouse${"-".repeat(200)}code`;
  const header = [padded, "Charge Code", "QUANTITY", "activity_timestamp", "Reference"];
  const csv = [header.join(","), "W1,,2,2026-03-01T09:30:00Z,r"].join("\n");
  const importId = await stage.push(await stage.organisation("padded"), "activities", csv);
  const [rejected] = dataOf(await stage.ended(importId), "RowRejected");
  expect(rejected?.data).toEqual({
    warehouseCode: "W1",
    chargeCode: "",
    quantity: "2",
    activityTimestamp: "2026-03-01T09:30:00Z",
    reference: "r",
  });
  expect((await stage.report(importId))[0]).toEqual(["Row number", "Rejection reason", ...header]);
});

test("a rejection reason has the contract's column name, not the file's padded one", async () => {
  const header = `shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,Rate${"_".repeat(200)}Card Alias`;
  const csv = [header, ...["a", "b"].map((alias) => `S,2000,Sydney,3000,Melbourne,Box,${alias}`)].join("\n");
  const importId = await stage.push(await stage.organisation("padded"), "shipments", csv);
  const reason = "Contradicts the first line of its shipment in column(s): rateCardAlias";
  expect(dataOf(await stage.ended(importId), "RowRejected").map(({ error }) => error)).toEqual([
    `Rejected with its shipment: ${reason}`,
    reason,
  ]);
});

test("workbook cells without a date or without a formula's result are rejected with a reason, also where days count from 1904", async () => {
  const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
  const row = (quantity: string, time: string) => `<row>${text("W1")}${text("PICK")}${quantity}${time}</row>`;
  const two = "<c><v>2</v></c>";
  const bytes = workbook({
    workbookPr: '<workbookPr date1904="1"/>',
    formats: ["h:mm"],
    rows:
      headerXml("warehouseCode", "chargeCode", "quantity", "activityTimestamp") +
      row(two, '<c s="1"><v>0.4</v></c>') +
      row(two, text("6/10/2026")) +
      row("<c><f>1+1</f></c>", text("2026-10-06")) +
      row(two, "<c><f>NOW()</f></c>"),
  });
  const importId = await stage.push(await stage.organisation("cells"), "activities", bytes, { name: "cells.xlsx", format: "xlsx" });
  const unsaved = "holds a formula without a stored result (open the workbook in a spreadsheet program and save it)";
  expect(dataOf(await stage.ended(importId), "RowRejected").map(({ error }) => error)).toEqual([
    "Valid activity timestamp is required",
    "Valid activity timestamp is required",
    `Valid quantity is required; quantity ${unsaved}`,
    `Valid activity timestamp is required; activityTimestamp ${unsaved}`,
  ]);
});

test("an import larger than one append arrives whole and in order", async () => {
  const csv = activities(1_234, (index) => (index % 3 === 0 ? badActivity(index) : goodActivity(`${index} ${"é".repeat(index % 700)}`)));
  const events = await stage.ended(await stage.push(await stage.organisation("large"), "activities", csv));
  expect(events).toHaveLength(1_234 + 3);
  expect(events.slice(2, -1).map((event) => (event.data as { row: number }).row)).toEqual(
    Array.from({ length: 1_234 }, (_, index) => index + 2),
  );
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: 1_234, processed: 822, failed: 412 } });
});

test.each([-1, 0, 1])("a file of the most bytes that are read into memory, and %d, is imported whole", async (more) => {
  const size = maxBytesInMemory + more;
  const row = (index: number) => goodActivity(String(index).padStart(4, "0"));
  const count = Math.floor((size - activityHeader.length - goodActivity("").length - 1) / (row(0).length + 1));
  const start = `${activities(count, row)}\n${goodActivity("")}`;
  const csv = start + "x".repeat(size - start.length);
  expect(Buffer.byteLength(csv)).toBe(size);
  const events = await stage.ended(await stage.push(await stage.organisation(`edge${more}`), "activities", csv));
  expect(events.at(-1)?.data).toMatchObject({ counts: { received: count + 1, processed: count + 1, failed: 0 } });
});

test("a giant row and a cell with NUL become rejected rows", async () => {
  const csv = [activityHeader, goodActivity("x".repeat(400_000)), goodActivity("a\0b"), goodActivity("fine")].join("\n");
  const events = await stage.ended(await stage.push(await stage.organisation("giant"), "activities", csv));
  expect(types(events).slice(2)).toEqual(["RowRejected", "RowRejected", "RowAccepted", "ImportCompleted"]);
});

test.each([
  ["whose stored file was changed", { sha256: "0".repeat(64) }, activities(1), /checksum differs/],
  [
    "whose header no longer fits the organisation's custom fields",
    {},
    `${activityHeader},oldField\n`,
    /Unrecognised column\(s\): oldField/,
  ],
  [
    "whose header is padded beyond all bounds",
    {},
    activities(2, badActivity).replace("warehouseCode", `w${"-".repeat(32_000)}arehouseCode`),
    /Missing required column\(s\): warehouseCode\. Unrecognised column\(s\): w-+\.\.\. \[cut short\]/,
  ],
  ["whose file has nothing below its header", {}, `${activityHeader}\n\n  \n`, /no rows below its header/],
  ["whose file breaks off inside a quoted cell", {}, `${activities(2)}\nW1,PICK,1,"2026-03-01`, /quote/i],
])("an import %s fails with a reason, before any row is recorded", async (name, more, csv, reason) => {
  const importId = await stage.push(await stage.organisation(name.replaceAll(/\W/g, "")), "activities", csv, more);
  const events = await stage.ended(importId);
  expect(types(events)).toEqual(["ImportRequested", "ImportStarted", "ImportFailed"]);
  expect(dataOf(events, "ImportFailed")[0]?.reason).toMatch(reason);
});

test("nothing is left on disk once the imports have ended", async () => {
  await until(async () => (await stage.pool.query("select 1 from import_queue")).rowCount === 0);
  await until(async () => (await stage.leftovers()).every((name) => /^worker-[0-9a-f]{12}-\d+-\w+$/.test(name)));
});
