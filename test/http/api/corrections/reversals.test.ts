// What reversals do to rejected rows and their corrections, through the API. The reversals are recorded by hand.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dismissRows, reopenRows } from "../../../../src/commands/corrections/dismissRows.js";
import type { RowsReversed } from "../../../../src/events/correctionEvents.js";
import { until } from "../../../support/processes.js";
import { reverse } from "../../../support/reversalStory.js";
import type { TestOrganisation } from "../../../support/service.js";
import { bad, correct, ended, fixed, good, json, rejectedActivities, rowsOf, states, uploadedShipments, useCorrections } from "./stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, compareOverviews, expectTruth } = stage;

type Reversed = Partial<RowsReversed> & Pick<RowsReversed, "rows" | "count">;
const reversed = (organisation: TestOrganisation, importId: string, what: Reversed) =>
  reverse(stage.service.eventStore, { organisationId: organisation.id, importId, ...what });
/** Of an import whose rows are all rejected, and so with nothing to take back. */
const allRejected: Reversed = { rows: "all", count: 0 };

type Kind = "activities" | "shipments";
const statesAre = (organisation: TestOrganisation, kind: Kind, importId: string, wanted: Record<number, string>) =>
  until(`the rows are ${JSON.stringify(wanted)}`, async () => {
    const found = await states(organisation, kind, importId);
    return Object.entries(wanted).every(([row, state]) => found[Number(row)] === state);
  });

async function corrected(organisation: TestOrganisation, kind: Kind, importId: string, rows: unknown[]): Promise<string> {
  const taken = await json(await correct(organisation, kind, importId, rows), 202);
  await ended(organisation, kind, taken["importId"]);
  return String(taken["importId"]);
}

describe("a reversed row of a correction", () => {
  test("opens the row that it had corrected, which is then corrected once more", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 2);
    const first = await corrected(organisation, "activities", importId, [fixed(1), fixed(2)]);
    await statesAre(organisation, "activities", importId, { 1: "corrected", 2: "corrected" });
    await reversed(organisation, first, { rows: [[2, 2]], count: 1 });
    await statesAre(organisation, "activities", importId, { 1: "corrected", 2: "open" });
    expect((await json(await correct(organisation, "activities", importId, [fixed(1)]), 409))["message"]).toBe(
      `Row 1 is corrected by import ${first}`,
    );
    const second = await corrected(organisation, "activities", importId, [fixed(2)]);
    expect(await rowsOf(organisation, "activities", second)).toEqual([]);
    await statesAre(organisation, "activities", importId, { 1: "corrected", 2: "corrected" });
  });

  test("opens nothing while a later correction has taken its place", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const first = await corrected(organisation, "activities", importId, [{ row: 1, values: { reference: "still wrong" } }]);
    const second = await corrected(organisation, "activities", first, [fixed(1)]);
    await reversed(organisation, first, allRejected);
    await statesAre(organisation, "activities", first, { 1: "corrected" });
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "corrected" });
    await reversed(organisation, second, { rows: [[1, 1]], count: 1 });
    await statesAre(organisation, "activities", importId, { 1: "open" });
    expect(await states(organisation, "activities", first)).toEqual({ 1: "withdrawn" });
    await corrected(organisation, "activities", importId, [fixed(1)]);
  });

  test("opens all lines of its shipment", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [
      ["S1", "CUST-999"],
      ["S2", "CUST-999"],
      ["S1", ""],
    ]);
    const first = await corrected(organisation, "shipments", importId, [fixed(2), fixed(4), fixed(3)]);
    await statesAre(organisation, "shipments", importId, { 2: "corrected", 3: "corrected", 4: "corrected" });
    await reversed(organisation, first, { rows: [[1, 2]], shipments: [[1, 1]], count: 1 });
    // Until the ledger takes the shipment back its lines are superseded there, so the table of corrections is asked.
    await until("its lines are free", async () => {
      const left = await stage.service.pool.query(`select "row" from row_corrections where import_id = $1`, [importId]);
      return left.rows.length === 1 && left.rows[0].row === 3;
    });
  });
});

describe("the rejected rows of an import that is reversed as a whole", () => {
  test("are withdrawn, and neither corrected nor dismissed nor opened again", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 4);
    await corrected(organisation, "activities", importId, [fixed(4)]);
    const by = { kind: "member" as const, id: randomUUID() };
    const asked = { organisationId: organisation.id, importId, rows: [3], by, requestId: "test", now: new Date() };
    await dismissRows(stage.service.deps, { ...asked, note: "not ours" });
    await statesAre(organisation, "activities", importId, { 1: "open", 2: "open", 3: "dismissed", 4: "corrected" });
    await reversed(organisation, importId, allRejected);
    await statesAre(organisation, "activities", importId, { 1: "withdrawn", 2: "withdrawn", 3: "dismissed", 4: "corrected" });
    expect((await rowsOf(organisation, "activities", importId, "?state=withdrawn")).map(({ row }) => row)).toEqual([1, 2]);
    expect(await rowsOf(organisation, "activities", importId, "?state=open")).toEqual([]);
    expect((await json(await correct(organisation, "activities", importId, [fixed(1)]), 409))["message"]).toBe(
      "Row 1 is withdrawn: its import is reversed",
    );
    await expect(dismissRows(stage.service.deps, { ...asked, rows: [2], note: "" })).rejects.toThrow(
      "Row 2 is withdrawn: its import is reversed",
    );
    await dismissRows(stage.service.deps, { ...asked, note: "again" });
    await expect(reopenRows(stage.service.deps, asked)).rejects.toThrow("Row 3 cannot be opened again: its import is reversed");
  });

  test("are rejected by a correction that was queued before, which says why", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 2);
    let correction: unknown;
    await withoutWorker(async () => {
      correction = (await json(await correct(organisation, "activities", importId, [fixed(2), fixed(1)]), 202))["importId"];
      await reversed(organisation, importId, allRejected);
    });
    await ended(organisation, "activities", correction);
    expect(await rowsOf(organisation, "activities", correction)).toMatchObject([
      { row: 1, error: "The import whose row it corrects is reversed", state: "withdrawn" },
      { row: 2, error: "The import whose row it corrects is reversed", state: "withdrawn" },
    ]);
    await statesAre(organisation, "activities", importId, { 1: "withdrawn", 2: "withdrawn" });
    const { message } = await json(await correct(organisation, "activities", String(correction), [fixed(1)]), 409);
    expect(message).toBe(`Row 1 repeats row 2 of import ${importId}, which is reversed with its import`);
  });
});

test("the overview counts the open rows of all imports, and no others", async () => {
  const organisation = await newOrganisation();
  const activities = [bad("a"), good, bad("b")];
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  await ended(organisation, "activities", importId);
  expect(await compareOverviews()).toEqual(expect.arrayContaining(["open", "corrected", "dismissed", "withdrawn"]));
});

test("after all these tests the audit is clean, and a rebuild gives the same rows", () => expectTruth());
