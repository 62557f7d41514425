import { describe, expect, test } from "vitest";
import { base, columns, correct, ended, fixed, json, line, rowsOf, states, uploadedShipments, useCorrections } from "./stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, compareOverviews } = stage;

describe("a shipment", () => {
  test("is corrected with all of its rejected lines, or not at all", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [
      ["S1", "CUST-999"],
      ["S2", "CUST-999"],
      ["S1", ""],
    ]);
    const { message } = await json(await correct(organisation, "shipments", importId, [fixed(2)]), 400);
    expect(message).toBe("The lines of a shipment are corrected together. Shipment S1 has more rejected lines: row 4");
    const taken = await json(await correct(organisation, "shipments", importId, [fixed(2), fixed(4)]), 202);
    expect(taken).toMatchObject({ shipmentsReceived: 1 });
    expect(await ended(organisation, "shipments", taken["importId"])).toMatchObject({ counts: { received: 2, processed: 1, failed: 0 } });
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "corrected", 3: "open", 4: "corrected" });
    const shipment = await json(await organisation.get("/v1/org/ledger/shipments/S1"), 200);
    expect(shipment["items"]).toHaveLength(2);
  });

  test("whose corrected lines contradict each other is rejected again", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [
      ["S1", "CUST-999"],
      ["S1", "CUST-999"],
    ]);
    const rows = [fixed(2), { row: 3, values: { customerId: "", destinationPostCode: "4000", destinationSuburb: "Brisbane" } }];
    const taken = await json(await correct(organisation, "shipments", importId, rows), 202);
    expect(await ended(organisation, "shipments", taken["importId"])).toMatchObject({ counts: { processed: 0, failed: 2 } });
  });

  test("that a later import has written is superseded", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [
      ["S1", "CUST-999"],
      ["S2", "CUST-999"],
    ]);
    const later = await uploadedShipments(organisation, [["S1", ""]]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "superseded", 3: "open" });
    expect((await rowsOf(organisation, "shipments", importId, "?state=open")).map(({ row }) => row)).toEqual([3]);
    const { message } = await json(await correct(organisation, "shipments", importId, [fixed(2)]), 409);
    expect(message).toBe(`Row 2 is superseded: the later import ${later} wrote its shipment`);
  });

  test("that a later import has written is open again once that import is reversed", async () => {
    const organisation = await newOrganisation();
    await uploadedShipments(organisation, [["S1", ""]]);
    const importId = await uploadedShipments(organisation, [["S1", "CUST-999"]]);
    const later = await uploadedShipments(organisation, [["S1", ""]]);
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "superseded" });
    await json(await organisation.post(`${base.shipments}/${later}/reversals`, { all: true, reason: "sent twice" }), 200);
    expect(await states(organisation, "shipments", importId)).toEqual({ 2: "open" });
    const correction = await json(await correct(organisation, "shipments", importId, [fixed(2)]), 202);
    await ended(organisation, "shipments", correction["importId"]);
    expect(await json(await organisation.get("/v1/org/ledger/shipments/S1"), 200)).toMatchObject({ importId: correction["importId"] });
  });

  test("keeps the newer values when an import writes it between the correction's push and its turn", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [["S1", "CUST-999"]]);
    let [newer, correction]: unknown[] = [];
    await withoutWorker(async () => {
      const file = new File([`${columns.join(",")}\nS1,${Object.values(line).join(",")},9,\n`], "newer.csv");
      newer = (await json(await organisation.upload("/v1/org/shipments/imports/file", file), 202))["importId"];
      correction = (await json(await correct(organisation, "shipments", importId, [fixed(2)]), 202))["importId"];
    });
    await ended(organisation, "shipments", correction);
    expect(await rowsOf(organisation, "shipments", correction)).toMatchObject([
      { error: `Superseded by import ${newer}, which wrote this shipment`, state: "superseded" },
    ]);
    expect(await json(await organisation.get("/v1/org/ledger/shipments/S1"), 200)).toMatchObject({ items: [{ itemQuantity: 9 }] });
  });
});

test("the overview counts the open rows of all imports, and no others", async () => {
  expect(await compareOverviews()).toEqual(expect.arrayContaining(["open", "corrected", "superseded"]));
});
