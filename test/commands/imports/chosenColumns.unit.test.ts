import { expect, test } from "vitest";
import { resolveColumns as taken } from "../../../src/commands/imports/chosenColumns.js";
import type { Catalogue } from "../../../src/domain/catalogue/catalogue.js";
import type { Geography } from "../../../src/domain/geography/geography.js";
import type { ImportColumns, ImportRequested } from "../../../src/events/importEvents.js";

const geography = {} as Geography;
const columnsTaken = (catalogue: Catalogue, given: Parameters<typeof taken>[2]) => taken(catalogue, geography, given);
const catalogueWith = (...keys: string[]) =>
  ({
    file: { customFields: keys.map((key) => ({ key, label: key })) },
    customFieldKeys: keys,
    organisation: { timezone: "UTC" },
    customers: new Map([["CUST-1", {}]]),
  }) as unknown as Catalogue;
const required = ["shipmentId", "originSuburb", "originPostCode", "destinationSuburb", "destinationPostCode", "itemType"];
const headings = Object.fromEntries([...required.map((field, index) => [`h${index}`, field]), ["Note", "customFields.note"]]);
const columns: ImportColumns = { headings, by: { kind: "member", id: "m" }, at: "2026-03-01T00:00:00.000Z" };
const reportedImport = { columns } as ImportRequested;
const file = { kind: "shipments", columns: ["Row number", "Rejection reason", ...Object.keys(headings)] } as const;

test("an error report is taken as its import was, whatever is remembered", () => {
  const taken = columnsTaken(catalogueWith("note"), { ...file, reportedImport, earlierChoice: { ...columns, dateOrder: "dayFirst" } });
  expect(taken).toEqual({ mustChoose: false, columns });
});

test("an error report whose custom field the organisation no longer has is to be uploaded as a new file, whose columns are chosen", () => {
  expect(() => columnsTaken(catalogueWith(), { ...file, reportedImport })).toThrow(
    "Invalid file structure. Note is mapped to customFields.note, which is not a field of these imports. Upload it as a new file, and choose its columns anew.",
  );
  expect(columnsTaken(catalogueWith(), { ...file, earlierChoice: columns })).toEqual({ mustChoose: true });
});

test("an error report that has lost a column is to be downloaded again", () => {
  const shorter = { ...file, columns: file.columns.filter((name) => name !== "Note") };
  expect(() => columnsTaken(catalogueWith("note"), { ...shorter, reportedImport })).toThrow(
    "Invalid file structure. Missing column(s): Note. Download the error report again, and keep all of its columns.",
  );
});

test("a remembered choice whose fixed value no row could have is to be chosen anew, also for a file with our own headings", () => {
  const own = { kind: "shipments", columns: required } as const;
  const fixed = (customerId: string): ImportColumns => ({
    ...columns,
    headings: Object.fromEntries(required.map((name) => [name, name])),
    fixed: { customerId },
  });
  expect(columnsTaken(catalogueWith(), { ...own, earlierChoice: fixed("CUST-1") })).toEqual({
    mustChoose: false,
    columns: fixed("CUST-1"),
  });
  expect(columnsTaken(catalogueWith(), { ...own, earlierChoice: fixed("GONE") })).toEqual({ mustChoose: true });
});
