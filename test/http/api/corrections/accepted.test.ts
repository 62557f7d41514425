// Accepted activities are corrected like rejected rows, with a reason. Of the old row and the new one exactly one counts.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dismissRows } from "../../../../src/commands/corrections/dismissRows.js";
import { until } from "../../../support/processes.js";
import { reverse } from "../../../support/reversalStory.js";
import type { TestOrganisation } from "../../../support/service.js";
import { bad, base, ended, good, type Json, json, rowsOf, states, uploadedShipments, useCorrections } from "./stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, expectTruth } = stage;

async function pushed(organisation: TestOrganisation, ...activities: Json[]): Promise<string> {
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

const reason = "Counted twice";
const send = (
  organisation: TestOrganisation,
  importId: string,
  rows: unknown[],
  more: Json = { reason },
  headers?: Record<string, string>,
) => organisation.post(`${base.activities}/${importId}/corrections`, { rows, ...more }, headers);

async function corrected(organisation: TestOrganisation, importId: string, rows: unknown[]): Promise<string> {
  const taken = await json(await send(organisation, importId, rows), 202);
  await ended(organisation, "activities", taken["importId"]);
  return String(taken["importId"]);
}

const to = (row: number, quantity: string) => ({ row, values: { quantity } });
const wrong = (row: number) => ({ row, values: { customerId: "CUST-999" } });

/** What the ledger counts, as `reference quantity`. */
const counted = async (organisation: TestOrganisation) =>
  ((await json(await organisation.get("/v1/org/ledger/activities?limit=500"), 200))["items"] as Json[])
    .map(({ reference, quantity }) => `${reference} ${quantity}`)
    .sort();
const counts = (organisation: TestOrganisation, ...wanted: string[]) =>
  until(`the ledger has ${wanted}`, async () => JSON.stringify(await counted(organisation)) === JSON.stringify(wanted));

const refusal = async (answer: Promise<Response>) => (await json(await answer, 409))["message"];
const reversed = (organisation: TestOrganisation, importId: string, row: number) =>
  reverse(stage.service.eventStore, { organisationId: organisation.id, importId, rows: [[row, row]], count: 1 });

const recorded = {
  ...{ warehouseCode: " SYD1", chargeCode: "PICK", quantity: 12.5, activityTimestamp: "2026-03-01T09:30:00+11:00" },
  ...{ customerId: "CUST-001", reference: "a", status: "done" },
};

describe("an accepted activity", () => {
  test("is replaced by an import of its recorded values with the corrected ones in place", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, recorded, { ...good, reference: "b" });
    const before = (await json(await organisation.get(`/v1/org/ledger/activities?importId=${importId}`), 200))["items"] as Json[];
    const correction = await corrected(organisation, importId, [to(1, "7")]);
    expect(await json(await organisation.get(`${base.activities}/${correction}`), 200)).toMatchObject({
      ...{ counts: { received: 1, processed: 1, failed: 0 }, sourceDetails: "Correction of API push" },
      correctionOf: { importId, rows: [1], reason },
    });
    await counts(organisation, "a 7", "b 1");
    const after = (await json(await organisation.get(`/v1/org/ledger/activities?importId=${correction}`), 200))["items"] as Json[];
    expect(after).toEqual([{ ...before[0], quantity: 7, importId: correction }]);
    expect(await refusal(send(organisation, importId, [to(1, "8")]))).toBe(
      `Row 1 is replaced by row 1 of import ${correction}: correct that row`,
    );
    const second = await corrected(organisation, correction, [to(1, "8")]);
    await counts(organisation, "a 8", "b 1");
    expect(await refusal(send(organisation, importId, [to(1, "9")]))).toBe(
      `Row 1 is replaced by row 1 of import ${second}: correct that row`,
    );
  });

  test("of the first day of 1900, with a character that was lost before it came here, keeps all but the corrected column", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...recorded, activityTimestamp: "1900-01-01", status: "caf\ufffd" });
    const correction = await corrected(organisation, importId, [to(1, "7")]);
    await counts(organisation, "a 7");
    const { items } = await json(await organisation.get(`/v1/org/ledger/activities?importId=${correction}`), 200);
    expect(items).toMatchObject([{ activityTimestamp: "1899-12-31T14:00:00.000Z", status: "caf\ufffd", quantity: 7 }]);
  });

  test("is corrected together with rejected rows, in one call", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, bad("r1"), { ...good, reference: "a" }, bad("r3"));
    const rows = [{ row: 3, values: { customerId: "" } }, to(2, "4"), { row: 1, values: { customerId: "", quantity: "2" } }];
    const correction = await corrected(organisation, importId, rows);
    await counts(organisation, "a 4", "r1 2", "r3 1");
    await until("the list shows it", async () => (await states(organisation, "activities", importId))[3] === "corrected");
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "corrected", 3: "corrected" });
    expect(await json(await organisation.get(`${base.activities}/${correction}`), 200)).toMatchObject({
      correctionOf: { importId, rows: [3, 2, 1], reason },
    });
  });

  test("needs a reason of 1 to 500 characters; rejected rows need none", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" }, bad("r2"), good);
    const messages = async (more: Json, rows: unknown[] = [to(1, "2")]) =>
      (await json(await send(organisation, importId, rows, more), 400))["message"];
    expect(await messages({})).toEqual(["reason is required, since row 1 was accepted"]);
    expect(await messages({}, [to(1, "2"), { row: 2, values: { customerId: "" } }, to(3, "1")])).toEqual([
      "reason is required, since rows 1, 3 were accepted",
    ]);
    expect(await messages({ reason: "  " })).toEqual(["reason must not be empty"]);
    expect(JSON.stringify(await messages({ reason: "x".repeat(501) }))).toContain("reason must");
    const taken = await json(await send(organisation, importId, [{ row: 2, values: { customerId: "" } }], {}), 202);
    const shown = await ended(organisation, "activities", taken["importId"]);
    expect(shown["correctionOf"]).toEqual({ importId, rows: [2] });
    expect(await refusal(send(organisation, importId, [to(4, "2")]))).toBe("Row 4 is not a row of this import");
    expect((await json(await send(organisation, importId, [{ row: 1, values: { nothing: "1" } }]), 400))["message"]).toEqual([
      "rows.0.values.nothing is not a column of this import",
    ]);
  });

  test("sent again with its Idempotency-Key is the same import; with another reason it is refused", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" });
    const key = { "Idempotency-Key": randomUUID() };
    const first = await json(await send(organisation, importId, [to(1, "2")], { reason }, key), 202);
    await ended(organisation, "activities", first["importId"]);
    expect(await json(await send(organisation, importId, [to(1, "2")], { reason }, key), 202)).toMatchObject({
      importId: first["importId"],
    });
    await json(await send(organisation, importId, [to(1, "2")], { reason: "another" }, key), 422);
  });
});

describe("a correction of an accepted activity", () => {
  test("that waits or is cancelled leaves it counting", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" });
    await withoutWorker(async () => {
      const first = await json(await send(organisation, importId, [to(1, "2")]), 202);
      expect(await refusal(send(organisation, importId, [to(1, "3")]))).toBe(
        `Row 1 is being corrected by import ${first["importId"]}: wait until it has ended, or cancel it`,
      );
      expect(await counted(organisation)).toEqual(["a 1"]);
      await json(await organisation.post(`${base.activities}/${first["importId"]}/cancel`, {}), 200);
    });
    expect(await counted(organisation)).toEqual(["a 1"]);
    await corrected(organisation, importId, [to(1, "3")]);
    await counts(organisation, "a 3");
  });

  test("whose row is rejected leaves it counting; that row is corrected or dismissed", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" });
    const first = await corrected(organisation, importId, [wrong(1)]);
    await until("the row is open", async () => (await states(organisation, "activities", first))[1] === "open");
    expect(await counted(organisation)).toEqual(["a 1"]);
    expect(await refusal(send(organisation, importId, [to(1, "2")]))).toBe(
      `Row 1 is corrected by row 1 of import ${first}, which was rejected: correct or dismiss that row`,
    );
    const second = await corrected(organisation, first, [{ row: 1, values: { customerId: "", quantity: "5" } }]);
    await counts(organisation, "a 5");
    expect(await refusal(send(organisation, importId, [to(1, "2")]))).toBe(
      `Row 1 is replaced by row 1 of import ${second}: correct that row`,
    );
  });

  test("whose row is rejected and dismissed may be sent again", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" });
    const first = await corrected(organisation, importId, [wrong(1)]);
    const by = { kind: "member" as const, id: randomUUID() };
    const dismissal = { organisationId: organisation.id, importId: first, rows: [1], note: "", by, requestId: "test", now: new Date() };
    await until("the tables have it", async () => (await states(organisation, "activities", first))[1] === "open");
    await dismissRows(stage.service.deps, dismissal);
    await corrected(organisation, importId, [to(1, "6")]);
    await counts(organisation, "a 6");
  });

  test("is rejected where the activity is reversed before its turn", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" }, { ...good, reference: "b" });
    let correction: unknown;
    await withoutWorker(async () => {
      correction = (await json(await send(organisation, importId, [to(2, "2"), to(1, "2")]), 202))["importId"];
      await reversed(organisation, importId, 1);
    });
    await ended(organisation, "activities", correction);
    expect(await rowsOf(organisation, "activities", correction)).toMatchObject([
      { row: 2, error: "The row that it corrects is reversed", state: "withdrawn" },
    ]);
    await counts(organisation, "b 2");
    expect(await refusal(send(organisation, importId, [to(1, "2")]))).toBe("Row 1 is reversed");
  });

  test("that is reversed makes it count again, and it may be corrected once more", async () => {
    const organisation = await newOrganisation();
    const importId = await pushed(organisation, { ...good, reference: "a" });
    const first = await corrected(organisation, importId, [to(1, "2")]);
    await counts(organisation, "a 2");
    await reversed(organisation, first, 1);
    await counts(organisation, "a 1");
    await corrected(organisation, importId, [to(1, "3")]);
    await counts(organisation, "a 3");
  });
});

test("an accepted shipment is not corrected: it is pushed again", async () => {
  const organisation = await newOrganisation();
  const importId = await uploadedShipments(organisation, [["S1", ""]]);
  const answer = await organisation.post(`${base.shipments}/${importId}/corrections`, { rows: [{ row: 2, values: {} }] });
  expect((await json(answer, 409))["message"]).toBe(
    "Row 2 is not a rejected row of this import. A shipment that was accepted is corrected by pushing it again: the later push replaces it",
  );
});

test("after all these tests the audit is clean, and a rebuild gives the same rows", () => expectTruth());
