// Two elements of a JSON push with one shipmentId are two writes, of which the later wins: also where they are rejected and corrected.
import { describe, expect, test } from "vitest";
import { dismissRows, reopenRows } from "../../../../src/commands/corrections/dismissRows.js";
import { rejectedRowOutcomes } from "../../../../src/queries/rejectedRows/rowOutcomes.js";
import type { TestOrganisation } from "../../../support/service.js";
import { base, correct, ended, fixed, type Json, json, line, rowsOf, states, useCorrections } from "./stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, compareOverviews, expectTruth } = stage;

const { itemType, ...places } = line;
/** A line for each quantity. */
const element = (quantities: readonly number[], { shipmentId = "S1", customerId = "" } = {}) => ({
  ...{ shipmentId, ...places, ...(customerId && { customerId }) },
  items: quantities.map((itemQuantity) => ({ itemType, itemQuantity })),
});
const rejected = (...quantities: number[]) => element(quantities, { customerId: "CUST-999" });
const accepted = (...quantities: number[]) => element(quantities);

async function pushed(organisation: TestOrganisation, ...shipments: readonly Json[]): Promise<string> {
  const { importId } = await json(await organisation.post(base.shipments, { shipments }), 202);
  await ended(organisation, "shipments", importId);
  return String(importId);
}

async function corrected(organisation: TestOrganisation, importId: string, rows: readonly unknown[]): Promise<string> {
  const correction = (await json(await correct(organisation, "shipments", importId, rows), 202))["importId"];
  await ended(organisation, "shipments", correction);
  return String(correction);
}

const stillWrong = (row: number) => ({ row, values: { customerId: "CUST-998" } });

/** The quantities of the shipment's goods lines in the ledger. */
async function goods(organisation: TestOrganisation, shipmentId = "S1"): Promise<unknown[]> {
  const { items } = await json(await organisation.get(`/v1/org/ledger/shipments/${shipmentId}`), 200);
  return (items as Json[]).map(({ itemQuantity }) => itemQuantity);
}

const reverse = async (organisation: TestOrganisation, importId: string, body: Json = { all: true }) =>
  json(await organisation.post(`${base.shipments}/${importId}/reversals`, { reason: "a mistake", ...body }), 200);

const change = (organisation: TestOrganisation, importId: string, rows: readonly number[]) => ({
  organisationId: organisation.id,
  ...{ importId, rows, by: { kind: "member", id: "m" } as const, requestId: "r", now: new Date() },
});

describe("two rejected elements with one shipmentId", () => {
  test.each([
    ["in the order of the push", [fixed(1), fixed(2)]],
    ["in the other order", [fixed(2), fixed(1)]],
  ])("corrected together %s give what the push would have given", async (_, rows) => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    const correction = await json(await correct(organisation, "shipments", importId, rows), 202);
    expect(correction).toMatchObject({ shipmentsReceived: 2 });
    await ended(organisation, "shipments", correction["importId"]);
    expect(await goods(organisation)).toEqual([7]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "corrected" });
    expect(await rowsOf(organisation, "shipments", correction["importId"], "?state=open")).toEqual([]);
  });

  test("are corrected one after the other, the first one first", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    await corrected(organisation, importId, [fixed(1)]);
    expect(await goods(organisation)).toEqual([5]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "open" });
    await corrected(organisation, importId, [fixed(2)]);
    expect(await goods(organisation)).toEqual([7]);
  });

  test("leave the first one superseded once the second one is corrected, until that correction is reversed", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    const second = await corrected(organisation, importId, [fixed(2)]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded", 2: "corrected" });
    const { message } = await json(await correct(organisation, "shipments", importId, [fixed(1)]), 409);
    expect(message).toBe(`Row 1 is superseded: the later import ${second} wrote its shipment`);
    expect(await goods(organisation)).toEqual([7]);
    expect(await reverse(organisation, second)).toMatchObject({ reopened: 1 });
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "open", 2: "open" });
    await corrected(organisation, importId, [fixed(1)]);
    expect(await goods(organisation)).toEqual([5]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "open" });
  });

  test("wait for their turn in any order, and the later one wins", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    let [second, first]: unknown[] = [];
    await withoutWorker(async () => {
      second = (await json(await correct(organisation, "shipments", importId, [fixed(2)]), 202))["importId"];
      first = (await json(await correct(organisation, "shipments", importId, [fixed(1)]), 202))["importId"];
    });
    await ended(organisation, "shipments", first);
    expect(await rowsOf(organisation, "shipments", first)).toMatchObject([
      { error: `Superseded by import ${second}, which wrote this shipment`, state: "superseded" },
    ]);
    expect(await goods(organisation)).toEqual([7]);
  });

  test("are dismissed and opened again one by one", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    await dismissRows(stage.service, { ...change(organisation, importId, [2]), note: "sent twice" });
    await corrected(organisation, importId, [fixed(1)]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "dismissed" });
    expect(await goods(organisation)).toEqual([5]);
    await reopenRows(stage.service, change(organisation, importId, [2]));
    await corrected(organisation, importId, [fixed(2)]);
    expect(await goods(organisation)).toEqual([7]);
  });

  test("that are rejected again are two elements of the correction", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5, 6), rejected(7));
    const again = await corrected(organisation, importId, [stillWrong(3), stillWrong(1), stillWrong(2)]);
    expect(await states(organisation, "shipments", again)).toEqual({ 1: "open", 2: "open", 3: "open" });
    expect((await json(await correct(organisation, "shipments", again, [fixed(2)]), 400))["message"]).toBe(
      "The lines of a shipment are corrected together. Shipment S1 has more rejected lines: row 3",
    );
    await corrected(organisation, again, [fixed(2), fixed(3)]);
    expect(await goods(organisation)).toEqual([5, 6]);
    expect(await states(organisation, "shipments", again)).toEqual({ 1: "open", 2: "corrected", 3: "corrected" });
    await corrected(organisation, again, [fixed(1)]);
    expect(await goods(organisation)).toEqual([7]);
  });

  test("are told apart when each has a correction of its own, and that one another", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    const second = await corrected(organisation, importId, [stillWrong(2)]);
    const first = await corrected(organisation, importId, [stillWrong(1)]);
    await corrected(organisation, first, [fixed(1)]);
    expect(await goods(organisation)).toEqual([5]);
    expect(await states(organisation, "shipments", second)).toEqual({ 1: "open" });
    await corrected(organisation, second, [fixed(1)]);
    expect(await goods(organisation)).toEqual([7]);
  });
});

describe("a rejected element", () => {
  test("that a later one of its push has written is superseded by its own import, and open again once that is reversed", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), accepted(7));
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded" });
    expect(await rowsOf(organisation, "shipments", importId, "?state=open")).toEqual([]);
    const { message } = await json(await correct(organisation, "shipments", importId, [fixed(1)]), 409);
    expect(message).toBe(`Row 1 is superseded: a later element of import ${importId} wrote its shipment`);
    expect(await rejectedRowOutcomes(organisation.id, [{ importId, row: 1 }], stage.service.pool)).toMatchObject([
      { state: "superseded", otherId: importId },
    ]);
    await expect(dismissRows(stage.service, { ...change(organisation, importId, [1]), note: "" })).rejects.toThrow("is superseded");
    expect(await reverse(organisation, importId, { shipmentIds: ["S1"] })).toMatchObject({ reversed: 1, withdrawn: 0 });
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "open" });
    await corrected(organisation, importId, [fixed(1)]);
    expect(await goods(organisation)).toEqual([5]);
  });

  test("that a later one of its push has written is withdrawn when the import is reversed", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), accepted(7));
    expect(await reverse(organisation, importId, { all: true, preview: true })).toMatchObject({ withdrawn: 1 });
    expect(await reverse(organisation, importId)).toMatchObject({ withdrawn: 1 });
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "withdrawn" });
  });

  test("after an accepted one is open, and its correction replaces that", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, accepted(5), rejected(7));
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "open" });
    const correction = await corrected(organisation, importId, [fixed(2)]);
    expect(await goods(organisation)).toEqual([7]);
    await reverse(organisation, correction);
    expect(await goods(organisation)).toEqual([5]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "open" });
  });

  test("between two others is superseded by what comes after it, and by nothing before it", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(1), accepted(2), rejected(3), rejected(4));
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded", 3: "open", 4: "open" });
    const third = await corrected(organisation, importId, [fixed(3)]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded", 3: "corrected", 4: "open" });
    await corrected(organisation, importId, [fixed(4)]);
    expect(await goods(organisation)).toEqual([4]);
    await reverse(organisation, third);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded", 3: "superseded", 4: "corrected" });
  });

  test("of several lines, one of them faulty, is corrected whole and without the other element", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, accepted(5, -1), accepted(7, -1, 8));
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "open", 2: "open", 3: "open", 4: "open", 5: "open" });
    const { message } = await json(await correct(organisation, "shipments", importId, [{ row: 2, values: { itemQuantity: "6" } }]), 400);
    expect(message).toBe("The lines of a shipment are corrected together. Shipment S1 has more rejected lines: row 1");
    await corrected(organisation, importId, [
      { row: 1, values: {} },
      { row: 2, values: { itemQuantity: "6" } },
    ]);
    expect(await goods(organisation)).toEqual([5, 6]);
    await corrected(organisation, importId, [
      { row: 3, values: {} },
      { row: 4, values: { itemQuantity: "9" } },
      { row: 5, values: {} },
    ]);
    expect(await goods(organisation)).toEqual([7, 9, 8]);
  });

  test("without a shipmentId is corrected with all of its lines", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, element([5, 6], { shipmentId: "" }), element([7], { shipmentId: "" }));
    const named = (row: number) => ({ row, values: { shipmentId: "S1" } });
    expect((await json(await correct(organisation, "shipments", importId, [named(1)]), 400))["message"]).toContain("row 2");
    await corrected(organisation, importId, [named(1), named(2)]);
    expect(await goods(organisation)).toEqual([5, 6]);
  });

  test("that a correction rejects again while it accepts a later one is superseded there", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    const correction = await corrected(organisation, importId, [stillWrong(1), fixed(2)]);
    expect(await states(organisation, "shipments", correction)).toEqual({ 1: "superseded" });
    expect((await json(await correct(organisation, "shipments", correction, [fixed(1)]), 409))["message"]).toContain(correction);
    expect(await goods(organisation)).toEqual([7]);
  });
});

test("an element that was recorded before elements were told apart is superseded by a later one of its push, and by no earlier one", async () => {
  const organisation = await newOrganisation();
  const importId = await pushed(organisation, rejected(5), accepted(6), rejected(7));
  const { pool } = stage.service;
  const ofImport = "where import_position = (select position from imports where import_id = $1)";
  await pool.query(`update rejections set element = null ${ofImport}`, [importId]);
  expect(await states(organisation, "shipments", importId)).toEqual({ 1: "superseded", 3: "open" });
  await pool.query(`update rejections set element = "row" ${ofImport}`, [importId]);
});

describe("elements whose shipmentId is changed by the correction", () => {
  const renamed = (row: number, shipmentId: string) => ({ row, values: { customerId: "", shipmentId } });
  const other = element([7], { shipmentId: "S2", customerId: "CUST-999" });

  test("to the same one stay two writes, and the later wins", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), other);
    await corrected(organisation, importId, [renamed(2, "S3"), renamed(1, "S3")]);
    expect(await goods(organisation, "S3")).toEqual([7]);
  });

  test("to that of a later element leave that one open", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), other);
    await corrected(organisation, importId, [renamed(1, "S2")]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "open" });
    await corrected(organisation, importId, [fixed(2)]);
    expect(await goods(organisation, "S2")).toEqual([7]);
  });

  test("to another one than the other element's are two shipments", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), rejected(7));
    await corrected(organisation, importId, [renamed(1, "S2"), fixed(2)]);
    expect([await goods(organisation, "S2"), await goods(organisation)]).toEqual([[5], [7]]);
  });

  test("are superseded by a later import, also where the correction of an earlier element has replaced that", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, rejected(5), other);
    const later = await pushed(organisation, element([9], { shipmentId: "S2" }));
    await corrected(organisation, importId, [renamed(1, "S2")]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 1: "corrected", 2: "superseded" });
    expect((await json(await correct(organisation, "shipments", importId, [fixed(2)]), 409))["message"]).toContain(later);
  });
});

test("the overview counts the open rows of all imports, and no others", async () => {
  expect(await compareOverviews()).toEqual(expect.arrayContaining(["open", "corrected", "superseded", "withdrawn"]));
});

test("after all these tests the audit is clean, and a rebuild gives the same rows", () => expectTruth());
