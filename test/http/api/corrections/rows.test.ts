import { createHash, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dismissRows, reopenRows } from "../../../../src/commands/corrections/dismissRows.js";
import { importOfKey, readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { applyOrganisation } from "../../../../src/commands/organisations/organisation.js";
import { parseOrganisationFile } from "../../../../src/domain/catalogue/organisationFile.js";
import { encode } from "../../../../src/events/codec.js";
import { streamOf } from "../../../../src/events/streams.js";
import { noStream } from "../../../../src/ports/eventStore.js";
import { organisationFile } from "../../../support/organisationFile.js";
import { until } from "../../../support/processes.js";
import { organisationDeps } from "../../../support/service.js";
import {
  activitiesOf,
  bad,
  base,
  correct,
  ended,
  fixed,
  good,
  type Json,
  json,
  line,
  rejectedActivities,
  rowsOf,
  states,
  useCorrections,
} from "./stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, compareOverviews } = stage;

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
    expect(message).toBe(`Row 1 is corrected by import ${accepted["importId"]}`);
  });

  test("whose row is rejected again leaves that row open in the new import, where it can be corrected", async () => {
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

  test("accepts 1 to 500 rows, known columns only, and rows of the import only", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 501);
    const some = (count: number) => Array.from({ length: count }, (_, index) => fixed(index + 1));
    await json(await correct(organisation, "activities", importId, []), 400);
    await json(await correct(organisation, "activities", importId, some(501)), 400);
    await json(await correct(organisation, "activities", importId, [fixed(1), fixed(1)]), 400);
    const unknown = await json(await correct(organisation, "activities", importId, [{ row: 1, values: { colour: "red" } }]), 400);
    expect(unknown["message"]).toEqual(["rows.0.values.colour is not a column of this import"]);
    expect((await json(await correct(organisation, "activities", importId, [fixed(502)]), 409))["message"]).toBe(
      "Row 502 is not a row of this import",
    );
    await json(await correct(organisation, "activities", importId, [fixed(2 ** 31)]), 400);
    const [most, one] = [
      await json(await correct(organisation, "activities", importId, some(500)), 202),
      await json(await correct(organisation, "activities", importId, [fixed(501)]), 202),
    ];
    expect(await ended(organisation, "activities", most["importId"])).toMatchObject({ counts: { processed: 500, failed: 0 } });
    expect(await ended(organisation, "activities", one["importId"])).toMatchObject({ counts: { processed: 1, failed: 0 } });
  });

  test("is a 404 for another organisation, under the other kind and for a made-up import", async () => {
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

  test("sent again with its Idempotency-Key is the same import also when the catalogue has lost a custom field since", async () => {
    const organisation = await stage.service.organisation((file) => file.customFields.push({ key: "deptCode", label: "Department" }));
    const pushed = { shipmentId: "A", ...line, customerId: "CUST-999", deptCode: "d" };
    const file = new File([`${Object.keys(pushed).join(",")}\n${Object.values(pushed).join(",")}\n`], "shipments.csv");
    const { importId } = await json(await organisation.upload(`${base.shipments}/file`, file), 202);
    await ended(organisation, "shipments", importId);
    const send = (key: string, values: Record<string, string> = { customerId: "", deptCode: "e" }) =>
      correct(organisation, "shipments", String(importId), [{ row: 2, values }], { "idempotency-key": key });
    const first = await json(await send("first"), 202);
    const parsed = parseOrganisationFile(organisationFile(organisation.id));
    if (!parsed.ok) throw new Error(parsed.faults.join());
    const origin = { by: { kind: "cli" as const, id: "test" }, correlationId: randomUUID() };
    await applyOrganisation(organisationDeps(stage.service.pool, stage.service.eventStore), parsed.file, origin);
    expect(await json(await send("first"), 202)).toEqual(first);
    expect(await json(await send("first", { deptCode: "e", customerId: "" }), 202)).toEqual(first);
    await json(await send("another"), 400);
    await json(await send("first", { customerId: "" }), 422);
    await ended(organisation, "shipments", first["importId"]);
  });

  test("that the version before has recorded is recognised by the file that was made of it", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const key = { "idempotency-key": randomUUID() };
    const first = await json(await correct(organisation, "activities", importId, [fixed(1)], key), 202);
    const { eventStore } = stage.service;
    const recorded = await readImportRequest(eventStore, String(first["importId"]));
    if (!recorded) throw new Error("the correction is not recorded");
    // The same push with another key, as the version before has recorded it.
    const earlierKey = randomUUID();
    const { importId: earlierId } = await importOfKey(eventStore, {
      ...{ organisationId: organisation.id, idempotencyKey: earlierKey, now: new Date() },
    });
    const { kind, source, sourceDetails, file, corrects } = recorded;
    const body = createHash("sha256").update(JSON.stringify([kind, source, sourceDetails, "", file.sha256, corrects]));
    const earlier = { ...recorded, importId: earlierId, idempotency: { key: "", body: body.digest("hex") } };
    const context = { organisation: organisation.id, by: recorded.by, correlationId: "r" };
    await eventStore.append(streamOf.import(earlierId), [encode("ImportRequested", earlier, context, randomUUID())], noStream);
    const again = await correct(organisation, "activities", importId, [fixed(1)], { "idempotency-key": earlierKey });
    expect(await json(again, 202)).toMatchObject({ importId: earlierId });
  });

  test("must replace a value that was cut short", async () => {
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

describe("correcting the same row twice", () => {
  test("at once records it once; a later import names the first one, and its row cannot be corrected from there", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    const anotherApi = await stage.service.startAnotherApi();
    const sent = await Promise.all(
      [stage.service.url, anotherApi, stage.service.url, anotherApi].map((url) =>
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

  test("is answered 409 while the first correction waits", async () => {
    const organisation = await newOrganisation();
    const importId = await rejectedActivities(organisation, 1);
    await withoutWorker(async () => {
      const first = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
      const { message } = await json(await correct(organisation, "activities", importId, [fixed(1)]), 409);
      expect(message).toBe(`Row 1 is submitted: import ${first["importId"]} is to correct it`);
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
    for await (const { data } of stage.service.eventStore.read(`import-${failing}`, { max: 1 })) key = (data as { file: Json }).file["key"];
    await stage.service.objectStore.remove(String(key));
  });
  await ended(organisation, "activities", failing, "failed");
  await until("it is open again", async () => (await states(organisation, "activities", importId))[1] === "open");
  const second = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
  await ended(organisation, "activities", second["importId"]);
  expect(await activitiesOf(organisation)).toEqual(["r1"]);
});

test("dismissed rows are not corrected until they are opened again", async () => {
  const organisation = await newOrganisation();
  const importId = await rejectedActivities(organisation, 2);
  const by = { kind: "member" as const, id: randomUUID() };
  const asked = { organisationId: organisation.id, importId, rows: [1], by, requestId: "test", now: new Date() };
  await dismissRows(stage.service.deps, { ...asked, note: "billed by hand" });
  await dismissRows(stage.service.deps, { ...asked, note: "billed by hand" });
  await until("the list shows it", async () => (await states(organisation, "activities", importId))[1] === "dismissed");
  expect((await json(await correct(organisation, "activities", importId, [fixed(1)]), 409))["message"]).toBe("Row 1 is dismissed");
  await expect(dismissRows(stage.service.deps, { ...asked, organisationId: "another", note: "" })).rejects.toThrow("no import");
  await expect(dismissRows(stage.service.deps, { ...asked, rows: [3], note: "" })).rejects.toThrow("not a rejected row");
  await reopenRows(stage.service.deps, asked);
  const taken = await json(await correct(organisation, "activities", importId, [fixed(1)]), 202);
  await ended(organisation, "activities", taken["importId"]);
  await expect(dismissRows(stage.service.deps, { ...asked, note: "" })).rejects.toThrow("Row 1 is corrected by import");
  expect(await activitiesOf(organisation)).toEqual(["r1"]);
});

test("rows of a running or a cancelled import cannot be corrected", async () => {
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
  expect(await compareOverviews()).toEqual(expect.arrayContaining(["open", "corrected"]));
});
