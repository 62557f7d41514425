import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dismissRows, reopenRows } from "../../../src/commands/corrections/dismissRows.js";
import { openRowsOf } from "../../../src/queries/overview.js";
import { until } from "../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let worker: Role | undefined;
let projector: Role | undefined;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 50 });
  worker = startWorker(service);
  projector = startProjector(service);
});
afterAll(async () => {
  await Promise.all([worker?.stop(), projector?.stop()]);
  await service?.close();
});

const made: TestOrganisation[] = [];
async function newOrganisation(): Promise<TestOrganisation> {
  const organisation = await service.organisation();
  made.push(organisation);
  return organisation;
}

type Json = Record<string, unknown>;
const base = { activities: "/v1/org/fulfilment/imports", shipments: "/v1/org/shipments/imports" };
type Kind = keyof typeof base;

const good = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
const bad = (reference: string) => ({ ...good, customerId: "CUST-999", reference });
const fixed = (row: number) => ({ row, values: { customerId: "" } });

async function withoutWorker(work: () => Promise<void>): Promise<void> {
  await worker?.stop();
  try {
    await work();
  } finally {
    worker = startWorker(service);
  }
}

async function json(answer: Response, status: number): Promise<Json> {
  const body = (await answer.json()) as Json;
  expect({ status: answer.status, body }).toMatchObject({ status });
  return body;
}

async function ended(organisation: TestOrganisation, kind: Kind, importId: unknown, status = "completed"): Promise<Json> {
  let shown: Json = {};
  await until(`the import is ${status}`, async () => {
    shown = (await (await organisation.get(`${base[kind]}/${importId}`)).json()) as Json;
    return shown["status"] === status;
  });
  return shown;
}

/** An import whose activities are all rejected. */
async function rejectedActivities(organisation: TestOrganisation, count = 3): Promise<string> {
  const activities = Array.from({ length: count }, (_, index) => bad(`r${index + 1}`));
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

const line = {
  originPostCode: "2000",
  originSuburb: "Sydney",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  itemType: "CARTON",
};
const columns = ["shipmentId", ...Object.keys(line), "itemQuantity", "customerId"];

/** A file of goods lines; those of an unknown customer are rejected. */
async function uploadedShipments(organisation: TestOrganisation, lines: readonly [id: string, customerId: string][]): Promise<string> {
  const rows = lines.map(([id, customerId]) => [id, ...Object.values(line), "1", customerId].join(","));
  const file = new File([[columns.join(","), ...rows].join("\n")], "shipments.csv");
  const { importId } = await json(await organisation.upload("/v1/org/shipments/imports/file", file), 202);
  await ended(organisation, "shipments", importId);
  return String(importId);
}

const correct = (
  organisation: TestOrganisation,
  kind: Kind,
  importId: string,
  rows: readonly unknown[],
  headers?: Record<string, string>,
) => organisation.post(`${base[kind]}/${importId}/corrections`, { rows }, headers);

async function rowsOf(organisation: TestOrganisation, kind: Kind, importId: unknown, query = ""): Promise<Json[]> {
  return (await json(await organisation.get(`${base[kind]}/${importId}/errors${query}`), 200))["items"] as Json[];
}
const states = async (organisation: TestOrganisation, kind: Kind, importId: unknown) =>
  Object.fromEntries((await rowsOf(organisation, kind, importId)).map(({ row, state }) => [row, state]));

const activitiesOf = async (organisation: TestOrganisation) =>
  ((await json(await organisation.get("/v1/org/ledger/activities?limit=500"), 200))["items"] as Json[])
    .map(({ reference }) => reference)
    .sort();

describe("a correction", () => {
  test("is an import of the rows as they were sent, with the corrected values", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation);
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "open", 2: "open", 3: "open" });
    const accepted = await json(await correct(organisation, "activities", importId, [fixed(3), fixed(1)]), 202);
    expect(accepted).toMatchObject({ status: "queued", source: "data", activitiesReceived: 2 });
    const shown = await ended(organisation, "activities", accepted["importId"]);
    expect(shown).toMatchObject({ counts: { received: 2, processed: 2, failed: 0 }, correctionOf: { importId, rows: [3, 1] } });
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "corrected", 2: "open", 3: "corrected" });
    expect((await rowsOf(organisation, "activities", importId, "?state=open")).map(({ row }) => row)).toEqual([2]);
    expect(await activitiesOf(organisation)).toEqual(["r1", "r3"]);
    const { message } = await json(await correct(organisation, "activities", importId, [fixed(1)]), 409);
    expect(message).toBe(`Row 1 is corrected by import ${accepted["importId"]}.`);
  });

  test("whose row is rejected again is open in the new import, and corrected from there", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const again = await json(await correct(organisation, "activities", importId, [{ row: 1, values: { customerId: "CUST-998" } }]), 202);
    await ended(organisation, "activities", again["importId"]);
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "corrected" });
    expect(await states(organisation, "activities", again["importId"])).toEqual({ 1: "open" });
    const last = await json(await correct(organisation, "activities", String(again["importId"]), [fixed(1)]), 202);
    await ended(organisation, "activities", last["importId"]);
    expect(await activitiesOf(organisation)).toEqual(["r1"]);
  });

  test("takes 1 to 500 rows, known columns, and rows that were rejected", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 501);
    const some = (count: number) => Array.from({ length: count }, (_, index) => fixed(index + 1));
    await json(await correct(organisation, "activities", importId, []), 400);
    await json(await correct(organisation, "activities", importId, some(501)), 400);
    await json(await correct(organisation, "activities", importId, [fixed(1), fixed(1)]), 400);
    const unknown = await json(await correct(organisation, "activities", importId, [{ row: 1, values: { colour: "red" } }]), 400);
    expect(unknown["message"]).toEqual(["rows.0.values.colour is not a column of this import"]);
    expect((await json(await correct(organisation, "activities", importId, [fixed(502)]), 409))["message"]).toBe(
      "Row 502 is not a rejected row of this import.",
    );
    await json(await correct(organisation, "activities", importId, [fixed(2 ** 31)]), 400);
    const [most, one] = [
      await json(await correct(organisation, "activities", importId, some(500)), 202),
      await json(await correct(organisation, "activities", importId, [fixed(501)]), 202),
    ];
    expect(await ended(organisation, "activities", most["importId"])).toMatchObject({ counts: { processed: 500, failed: 0 } });
    expect(await ended(organisation, "activities", one["importId"])).toMatchObject({ counts: { processed: 1, failed: 0 } });
  });

  test("does not exist for another organisation, nor under the other kind", async () => {
    const [organisation, other] = [await newOrganisation(), await newOrganisation()];
    const importId = await rejectedActivities(organisation, 1);
    await json(await correct(other, "activities", importId, [fixed(1)]), 404);
    await json(await correct(organisation, "shipments", importId, [fixed(1)]), 404);
    await json(await correct(organisation, "activities", randomUUID(), [fixed(1)]), 404);
  });

  test("sent again with its Idempotency-Key is the same import; with other values it is refused", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const key = { "idempotency-key": randomUUID() };
    const first = await json(await correct(organisation, "activities", importId, [fixed(1)], key), 202);
    expect(await json(await correct(organisation, "activities", importId, [fixed(1)], key), 202)).toEqual(first);
    await ended(organisation, "activities", first["importId"]);
    expect(await json(await correct(organisation, "activities", importId, [fixed(1)], key), 202)).toEqual(first);
    await json(await correct(organisation, "activities", importId, [{ row: 1, values: { quantity: "2" } }], key), 422);
    expect(await activitiesOf(organisation)).toEqual(["r1"]);
  });

  test("never sends what was cut short", async () => {
    const organisation = await newOrganisation();
    const file = `${Object.keys(good).join(",")},reference\nSYD1,PICK,1,2026-03-01T09:30:00Z,${"x".repeat(5_000)}\n`;
    const { importId } = await json(await organisation.upload("/v1/org/fulfilment/activities/file", new File([file], "a.csv")), 202);
    await ended(organisation, "activities", importId);
    const refused = await json(await correct(organisation, "activities", String(importId), [{ row: 2, values: {} }]), 400);
    expect(String(refused["message"])).toContain("rows.0.values.reference is required");
    const taken = await json(
      await correct(organisation, "activities", String(importId), [{ row: 2, values: { reference: "short" } }]),
      202,
    );
    await ended(organisation, "activities", taken["importId"]);
    expect(await activitiesOf(organisation)).toEqual(["short"]);
  });
});

describe("the same row twice at once", () => {
  test("is recorded once; the second import says who was first, and its row cannot be corrected from there", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const anotherApi = await service.startAnotherApi();
    const sent = await Promise.all(
      [service.url, anotherApi, service.url, anotherApi].map((url) =>
        organisation.post(`${url}${base.activities}/${importId}/corrections`, { rows: [fixed(1)] }),
      ),
    );
    const ids = [];
    for (const answer of sent) if (answer.status === 202) ids.push(String(((await answer.json()) as Json)["importId"]));
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) await ended(organisation, "activities", id);
    expect(await activitiesOf(organisation)).toEqual(["r1"]);
    const lists = await Promise.all(ids.map((id) => rowsOf(organisation, "activities", id)));
    const first = ids[lists.findIndex((rows) => rows.length === 0)];
    for (const [index, rows] of lists.entries()) {
      if (rows.length === 0) continue;
      expect(rows).toMatchObject([{ error: `Already corrected by import ${first}`, state: "corrected" }]);
      const { message } = await json(await correct(organisation, "activities", String(ids[index]), [fixed(1)]), 409);
      expect(message).toContain(`import ${first} has corrected`);
    }
  });

  test("is answered 409 while the first one waits", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    await withoutWorker(async () => {
      const first = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
      const { message } = await json(await correct(organisation, "activities", importId, [fixed(1)]), 409);
      expect(message).toBe(`Row 1 is submitted: import ${first["importId"]} is to correct it.`);
      await until("the list shows it", async () => (await states(organisation, "activities", importId))[1] === "submitted");
      await json(await organisation.post(`${base.activities}/${first["importId"]}/cancel`, {}), 200);
      await until("it is open again", async () => (await states(organisation, "activities", importId))[1] === "open");
    });
    const second = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
    await ended(organisation, "activities", second["importId"]);
    expect(await activitiesOf(organisation)).toEqual(["r1"]);
  });
});

test("a correction that fails leaves its rows open", async () => {
  const organisation = await newOrganisation();
  const importId = await rejectedActivities(organisation, 1);
  let failing: unknown;
  await withoutWorker(async () => {
    failing = (await json(await correct(organisation, "activities", importId, [fixed(1)]), 202))["importId"];
    let key: unknown;
    for await (const { data } of service.eventStore.read(`import-${failing}`, { max: 1 })) key = (data as { file: Json }).file["key"];
    await service.objectStore.remove(String(key));
  });
  await ended(organisation, "activities", failing, "failed");
  await until("it is open again", async () => (await states(organisation, "activities", importId))[1] === "open");
  const second = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
  await ended(organisation, "activities", second["importId"]);
  expect(await activitiesOf(organisation)).toEqual(["r1"]);
});

describe("a shipment", () => {
  test("is corrected with all of its rejected lines, or not at all", async () => {
    const organisation = await newOrganisation();
    const importId = await uploadedShipments(organisation, [
      ["S1", "CUST-999"],
      ["S2", "CUST-999"],
      ["S1", ""],
    ]);
    const { message } = await json(await correct(organisation, "shipments", importId, [fixed(2)]), 400);
    expect(message).toBe("The lines of a shipment are corrected together. Shipment S1 has more rejected lines: row 4.");
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
    expect(message).toBe(`Row 2 is superseded: import ${later} has written its shipment since.`);
  });

  test("that an import has written between the correction and its turn keeps the newer values", async () => {
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
      { error: `Superseded by import ${newer}, which has written this shipment since`, state: "superseded" },
    ]);
    expect(await json(await organisation.get("/v1/org/ledger/shipments/S1"), 200)).toMatchObject({ items: [{ itemQuantity: 9 }] });
  });
});

test("dismissed rows are not corrected until they are opened again", async () => {
  const organisation = await newOrganisation();
  const importId = await rejectedActivities(organisation, 2);
  const by = { kind: "member" as const, id: randomUUID() };
  const asked = { organisationId: organisation.id, importId, rows: [1], by, requestId: "test", now: new Date() };
  await dismissRows(service.deps, { ...asked, note: "billed by hand" });
  await dismissRows(service.deps, { ...asked, note: "billed by hand" });
  await until("the list shows it", async () => (await states(organisation, "activities", importId))[1] === "dismissed");
  expect((await json(await correct(organisation, "activities", importId, [fixed(1)]), 409))["message"]).toBe("Row 1 is dismissed.");
  await expect(dismissRows(service.deps, { ...asked, organisationId: "another", note: "" })).rejects.toThrow("no import");
  await expect(dismissRows(service.deps, { ...asked, rows: [3], note: "" })).rejects.toThrow("not a rejected row");
  await reopenRows(service.deps, asked);
  const taken = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
  await ended(organisation, "activities", taken["importId"]);
  await expect(dismissRows(service.deps, { ...asked, note: "" })).rejects.toThrow("Row 1 is corrected by import");
  expect(await activitiesOf(organisation)).toEqual(["r1"]);
});

test("rows of an import that was cancelled are not corrected one by one", async () => {
  const organisation = await newOrganisation();
  await withoutWorker(async () => {
    const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities: [bad("r")] }), 202);
    expect(String((await json(await correct(organisation, "activities", String(importId), [fixed(1)]), 409))["message"])).toContain(
      "still running",
    );
    await json(await organisation.post(`${base.activities}/${importId}/cancel`, {}), 200);
    expect(String((await json(await correct(organisation, "activities", String(importId), [fixed(1)]), 409))["message"])).toContain(
      "cancelled",
    );
  });
});

test("the overview counts the open rows of all imports, and no others", async () => {
  const seen = new Set<unknown>();
  for (const organisation of made) {
    let open = 0;
    for (const kind of ["activities", "shipments"] as const) {
      const { items } = await json(await organisation.get(`${base[kind]}?limit=100`), 200);
      for (const { importId } of items as Json[]) {
        const found = Object.values(await states(organisation, kind, importId));
        for (const state of found) seen.add(state);
        open += found.filter((state) => state === "open").length;
      }
    }
    expect(await openRowsOf(service.pool, organisation.id)).toEqual({ rows: open, atLeast: false });
  }
  expect([...seen]).toEqual(expect.arrayContaining(["open", "corrected", "superseded"]));
});
