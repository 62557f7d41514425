import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { activity, goodsLine, type Story, tell } from "../../../support/importStory.js";
import { waybill } from "../../../support/processes.js";
import { insertOrganisation } from "../../../support/shell.js";
import { type Json, rejects, useImports } from "./stage.js";

const stage = useImports();
const { get, recorded } = stage;

describe("checking an import", () => {
  test("answers the contract's fields in its order", async () => {
    const importId = await recorded({ kind: "shipments", source: "data", sourceDetails: "nightly", rows: [{ accept: goodsLine("S1") }] });
    const { status, text } = await get(`/v1/org/shipments/imports/${importId}`);
    expect(status).toBe(200);
    expect(text).toBe(
      JSON.stringify({
        importId,
        source: "data",
        status: "completed",
        progress: 100,
        counts: { received: 1, processed: 1, failed: 0 },
        sourceDetails: "nightly",
        submittedAt: "2026-03-01T10:00:00.000Z",
        startedAt: "2026-03-01T10:00:00.000Z",
        finishedAt: "2026-03-01T10:00:00.000Z",
        errorMessage: null,
        errorReportUrl: null,
        reversed: null,
        sameFileAs: null,
      }),
    );
  });

  test("shows no start, end or link for an import that is queued", async () => {
    const importId = await recorded({ kind: "activities", end: "queued" });
    const { body } = await get(`/v1/org/fulfilment/imports/${importId}`);
    expect(body).toMatchObject({
      status: "queued",
      progress: 0,
      startedAt: null,
      finishedAt: null,
      errorReportUrl: null,
      errorMessage: null,
    });
  });

  test("shows no failures of a running fulfilment import, and a running total", async () => {
    const rows = [{ accept: activity() }, { reject: "x" }, { accept: activity() }];
    const importId = await recorded({ kind: "activities", end: "running", rows });
    await stage.model.pool.query("insert into import_queue (import_id, organisation_id, progress, all_rows) values ($1, $2, 99, 5)", [
      importId,
      stage.acme.organisationId,
    ]);
    const { body } = await get(`/v1/org/fulfilment/imports/${importId}`);
    expect(body).toMatchObject({ status: "processing", progress: 63, counts: { received: 3, processed: 2, failed: 0 } });
  });

  test("shows a link to the error report", async () => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1), report: "reports/x.xlsx" });
    const { body } = await get(`/v1/org/shipments/imports/${importId}`);
    expect(body["errorReportUrl"]).toContain("reports/x.xlsx");
  });

  test("says why an import failed", async () => {
    const importId = await recorded({ kind: "shipments", end: "failed", rows: [{ accept: goodsLine("F1") }] });
    const { body } = await get(`/v1/org/shipments/imports/${importId}`);
    expect(body).toMatchObject({ status: "failed", errorMessage: "The file broke off.", counts: { received: 1, processed: 0, failed: 0 } });
  });

  test("answers the same 404 for a made-up id, another organisation's import and one of the other kind", async () => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1) });
    for (const rest of ["", "/errors"]) {
      const answers = await Promise.all([
        get(`/v1/org/shipments/imports/${randomUUID()}${rest}`),
        get(`/v1/org/shipments/imports/not-an-id${rest}`),
        get(`/v1/org/shipments/imports/${importId.toUpperCase()}${rest}`),
        get(`/v1/org/shipments/imports/${importId}${rest}`, stage.other.key),
        get(`/v1/org/fulfilment/imports/${importId}${rest}`),
      ]);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set(['404 {"statusCode":404,"message":"There is no import with this id","error":"Not Found"}']),
      );
    }
  });
});

describe("while the projector is down", () => {
  let mine: { organisationId: string; key: string };
  beforeAll(() => stage.model.stopProjector());
  beforeEach(async () => {
    mine = await insertOrganisation(stage.model.pool);
  });
  afterAll(() => stage.model.startProjector());
  const told = (story: Story) => stage.model.record({ organisationId: mine.organisationId, ...story });
  const check = async (importId: string) => (await get(`/v1/org/fulfilment/imports/${importId}`, mine.key)).body;

  test("an import is found right after it was requested, by its own organisation only", async () => {
    const { importId } = await told({ kind: "activities", end: "queued" });
    expect(await check(importId)).toMatchObject({ status: "queued", submittedAt: "2026-03-01T10:00:00.000Z" });
    expect((await get(`/v1/org/fulfilment/imports/${importId}`, stage.other.key)).status).toBe(404);
    expect((await get(`/v1/org/fulfilment/imports/${importId}/errors`, mine.key)).body).toEqual({ items: [], nextCursor: null });
  });

  test("an import that has started is processing, and not completed before its rows are in the ledger", async () => {
    const running = await told({ kind: "activities", end: "running", rows: [{ accept: activity() }] });
    expect(await check(running.importId)).toMatchObject({ status: "processing", startedAt: "2026-03-01T10:00:00.000Z" });
    mine = await insertOrganisation(stage.model.pool); // an organisation runs one import at a time
    const completed = await told({ kind: "activities", rows: [{ accept: activity() }] });
    expect(await check(completed.importId)).toMatchObject({ status: "processing", progress: 10, finishedAt: null });
  });

  test("a cancelled or failed import is shown as such, with its counts", async () => {
    const rows = [{ accept: activity() }, { reject: "x" }];
    const cancelled = await told({ kind: "activities", end: "cancelled", rows });
    expect(await check(cancelled.importId)).toMatchObject({
      status: "cancelled",
      progress: 40,
      counts: { received: 2, processed: 0, failed: 1 },
    });
    const failed = await told({ kind: "activities", end: "failed", rows });
    expect(await check(failed.importId)).toMatchObject({ status: "failed", errorMessage: "The file broke off." });
  });

  test.each(["cancelled", "failed"] as const)(
    "an import that was %s after thousands of rows is shown as such, with its counts",
    async (end) => {
      const rows = Array.from({ length: 2_500 }, (_, index) => (index % 5 === 0 ? { reject: "x" } : { accept: activity() }));
      const { importId } = await told({ kind: "activities", end, rows });
      expect(await check(importId)).toMatchObject({
        status: end,
        finishedAt: "2026-03-01T10:00:00.000Z",
        counts: { received: 2_500, processed: 0, failed: 500 },
      });
    },
  );

  test("an import with too many rows to count is shown as processing until its final counts are known", async () => {
    const { importId } = await told({ kind: "activities", end: "cancelled", rows: rejects(20_001) });
    expect(await check(importId)).toMatchObject({ status: "processing", finishedAt: null, counts: { failed: 0 } });
  });

  test("an import that the command line cancels after thousands of rows is shown as cancelled at once", async () => {
    const { importId } = await told({ kind: "activities", end: "running", rows: rejects(1_500) });
    expect(await check(importId)).toMatchObject({ status: "processing" });
    const { code } = await waybill(["imports", "cancel", importId], {
      ...{ DATABASE_URL: stage.model.url, EVENTSTORE_URL: stage.model.address, DATA_DIR: stage.objects.folder },
      SIGNING_SECRET: "a secret of thirty-two characters",
    });
    expect(code).toBe(0);
    expect(await check(importId)).toMatchObject({ status: "cancelled", counts: { received: 1_500, processed: 0, failed: 1_500 } });
  });
});

describe("cancelling an import", () => {
  const cancel = async (importId: string, key = stage.acme.key) => {
    const response = await stage.app.request(`/v1/org/fulfilment/imports/${importId}/cancel`, {
      method: "POST",
      headers: { "x-api-key": key },
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  test("ends it, records who cancelled it, and leaves nothing in the ledger", async () => {
    const importId = await recorded({ kind: "activities", end: "running", rows: [{ accept: activity() }, { reject: "x" }] });
    expect((await cancel(importId, stage.other.key)).status).toBe(404);
    const { status, body } = await cancel(importId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "cancelled", counts: { received: 2, processed: 0, failed: 1 } });
    const last = await stage.model.eventStore.last(`import-${importId}`);
    expect(last).toMatchObject({ type: "ImportCancelled", data: { by: { kind: "key", id: stage.acme.keyId } } });
    expect((await cancel(importId)).status).toBe(200);
    await stage.model.project();
    expect((await get(`/v1/org/fulfilment/imports/${importId}`)).body).toEqual(body);
    expect((await get(`/v1/org/ledger/activities?importId=${importId}`)).body.items).toEqual([]);
  });

  test("is answered with the final status and counts, also while the projection is thousands of rows behind", async () => {
    const rows = [{ accept: activity() }, ...rejects(1_500), { accept: activity() }];
    const { importId, stream, events } = tell({ kind: "activities", organisationId: stage.acme.organisationId, end: "running", rows });
    await stage.model.eventStore.append(stream, events.slice(0, 4), -1n);
    await stage.model.project();
    const { body, next } = await stage.model.withoutProjector(async () => {
      for (let from = 4; from < events.length; from += 500) {
        await stage.model.eventStore.append(stream, events.slice(from, from + 500), BigInt(from) - 1n);
      }
      const cancelled = await cancel(importId);
      return { body: cancelled.body, next: await get(`/v1/org/fulfilment/imports/${importId}`) };
    });
    await stage.model.project();
    expect(body).toMatchObject({ status: "cancelled", counts: { received: 1_502, processed: 0, failed: 1_500 } });
    expect(body["finishedAt"]).not.toBeNull();
    const afterwards = await get(`/v1/org/fulfilment/imports/${importId}`);
    expect([next.body, afterwards.body]).toEqual([body, body]);
  });

  test("is a conflict once the import has completed", async () => {
    const importId = await recorded({ kind: "activities", rows: [{ accept: activity() }] });
    expect((await cancel(importId)).status).toBe(409);
  });
});
