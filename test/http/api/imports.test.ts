import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Story } from "../../support/importStory.js";
import { activity, goodsLine, tell } from "../../support/importStory.js";
import { waybill } from "../../support/processes.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";
import { createShell, insertOrganisation } from "../../support/shell.js";
import { createTestObjectStore } from "../../support/stores/stores.js";

type Json = Record<string, unknown> & { items: Record<string, unknown>[]; nextCursor: string | null };

let model: ReadModel;
let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
let app: ReturnType<typeof createShell>;
let acme: { organisationId: string; keyId: string; key: string };
let other: { organisationId: string; key: string };

beforeAll(async () => {
  [model, objects] = await Promise.all([startReadModel(), createTestObjectStore()]);
  app = createShell(model.pool, { deps: { eventStore: model.eventStore, objectStore: objects.store } });
  acme = await insertOrganisation(model.pool);
  other = await insertOrganisation(model.pool);
});
afterAll(async () => {
  await model?.close();
  await objects?.close();
});

async function get(path: string, key = acme.key): Promise<{ status: number; body: Json; text: string }> {
  const response = await app.request(path, { headers: { "x-api-key": key } });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Json, text };
}

async function recorded(story: Story): Promise<string> {
  const { importId } = await model.record({ organisationId: acme.organisationId, ...story });
  await model.project();
  return importId;
}

const rejects = (count: number, handle = "S1") =>
  Array.from({ length: count }, (_, index) => ({ reject: `fault ${index}`, handle, data: { shipmentId: handle, itemType: `${index}` } }));

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
      }),
    );
  });

  test("has no times and no link before they are due", async () => {
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
    await model.pool.query("insert into import_queue (import_id, organisation_id, progress) values ($1, $2, 60)", [
      importId,
      acme.organisationId,
    ]);
    const { body } = await get(`/v1/org/fulfilment/imports/${importId}`);
    expect(body).toMatchObject({ status: "processing", progress: 60, counts: { received: 3, processed: 2, failed: 0 } });
  });

  test("makes a fresh link to the report with every reading", async () => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1), report: "reports/x.xlsx" });
    const { body } = await get(`/v1/org/shipments/imports/${importId}`);
    expect(body["errorReportUrl"]).toContain("reports/x.xlsx");
  });

  test("says why a failed import could not run", async () => {
    const importId = await recorded({ kind: "shipments", end: "failed", rows: [{ accept: goodsLine("F1") }] });
    const { body } = await get(`/v1/org/shipments/imports/${importId}`);
    expect(body).toMatchObject({ status: "failed", errorMessage: "The file broke off.", counts: { received: 1, processed: 0, failed: 0 } });
  });

  test("answers a made-up id, another organisation's import and one of the other kind alike", async () => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1) });
    for (const rest of ["", "/errors"]) {
      const answers = await Promise.all([
        get(`/v1/org/shipments/imports/${randomUUID()}${rest}`),
        get(`/v1/org/shipments/imports/not-an-id${rest}`),
        get(`/v1/org/shipments/imports/${importId.toUpperCase()}${rest}`),
        get(`/v1/org/shipments/imports/${importId}${rest}`, other.key),
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
  beforeAll(async () => {
    await model.stopProjector();
    mine = await insertOrganisation(model.pool);
  });
  afterAll(() => model.startProjector());
  const told = (story: Story) => model.record({ organisationId: mine.organisationId, ...story });
  const check = async (importId: string) => (await get(`/v1/org/fulfilment/imports/${importId}`, mine.key)).body;

  test("an import is found right after it was requested, by its own organisation only", async () => {
    const { importId } = await told({ kind: "activities", end: "queued" });
    expect(await check(importId)).toMatchObject({ status: "queued", submittedAt: "2026-03-01T10:00:00.000Z" });
    expect((await get(`/v1/org/fulfilment/imports/${importId}`, other.key)).status).toBe(404);
    expect((await get(`/v1/org/fulfilment/imports/${importId}/errors`, mine.key)).body).toEqual({ items: [], nextCursor: null });
  });

  test("an import that has started is processing, and not completed before its rows are in the ledger", async () => {
    const running = await told({ kind: "activities", end: "running", rows: [{ accept: activity() }] });
    expect(await check(running.importId)).toMatchObject({ status: "processing", startedAt: "2026-03-01T10:00:00.000Z" });
    const completed = await told({ kind: "activities", rows: [{ accept: activity() }] });
    expect(await check(completed.importId)).toMatchObject({ status: "processing", progress: 99, finishedAt: null });
  });

  test("a cancelled or failed import is told with its counts", async () => {
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
    "an import that was %s after thousands of rows is told as such, with its counts",
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

  test("the end of an import is told with final counts only: not before they can be known", async () => {
    const { importId } = await told({ kind: "activities", end: "cancelled", rows: rejects(20_001) });
    expect(await check(importId)).toMatchObject({ status: "processing", finishedAt: null, counts: { failed: 0 } });
  });

  test("an import that the command line cancels after thousands of rows is cancelled at the next reading", async () => {
    const { importId } = await told({ kind: "activities", end: "running", rows: rejects(1_500) });
    expect(await check(importId)).toMatchObject({ status: "processing" });
    const { code } = await waybill(["imports", "cancel", importId], {
      ...{ DATABASE_URL: model.url, EVENTSTORE_URL: model.address, DATA_DIR: objects.folder },
      SIGNING_SECRET: "a secret of thirty-two characters",
    });
    expect(code).toBe(0);
    expect(await check(importId)).toMatchObject({ status: "cancelled", counts: { received: 1_500, processed: 0, failed: 1_500 } });
  });
});

describe("cancelling an import", () => {
  const cancel = async (importId: string, key = acme.key) => {
    const response = await app.request(`/v1/org/fulfilment/imports/${importId}/cancel`, { method: "POST", headers: { "x-api-key": key } });
    return { status: response.status, body: (await response.json()) as Json };
  };

  test("ends it, names who did it, and leaves nothing in the ledger", async () => {
    const importId = await recorded({ kind: "activities", end: "running", rows: [{ accept: activity() }, { reject: "x" }] });
    expect((await cancel(importId, other.key)).status).toBe(404);
    const { status, body } = await cancel(importId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "cancelled", counts: { received: 2, processed: 0, failed: 1 } });
    const last = await model.eventStore.last(`import-${importId}`);
    expect(last).toMatchObject({ type: "ImportCancelled", data: { by: { kind: "key", id: acme.keyId } } });
    expect((await cancel(importId)).status).toBe(200);
    await model.project();
    expect((await get(`/v1/org/fulfilment/imports/${importId}`)).body).toEqual(body);
    expect((await get(`/v1/org/ledger/activities?importId=${importId}`)).body.items).toEqual([]);
  });

  test("is answered as done, with counts that stay, also while the projection is thousands of rows behind", async () => {
    const rows = [{ accept: activity() }, ...rejects(1_500), { accept: activity() }];
    const { importId, stream, events } = tell({ kind: "activities", organisationId: acme.organisationId, end: "running", rows });
    await model.eventStore.append(stream, events.slice(0, 4), -1n);
    await model.project();
    await model.stopProjector();
    for (let from = 4; from < events.length; from += 500) {
      await model.eventStore.append(stream, events.slice(from, from + 500), BigInt(from) - 1n);
    }
    const { body } = await cancel(importId);
    const next = await get(`/v1/org/fulfilment/imports/${importId}`);
    model.startProjector();
    await model.project();
    expect(body).toMatchObject({ status: "cancelled", counts: { received: 1_502, processed: 0, failed: 1_500 } });
    expect(body["finishedAt"]).not.toBeNull();
    const afterwards = await get(`/v1/org/fulfilment/imports/${importId}`);
    expect([next.body, afterwards.body]).toEqual([body, body]);
  });

  test("is a conflict once it has completed", async () => {
    const importId = await recorded({ kind: "activities", rows: [{ accept: activity() }] });
    expect((await cancel(importId)).status).toBe(409);
  });
});

describe("rejected rows", () => {
  test("are a shipment's id, reason and values, with the row", async () => {
    const rows = [
      { reject: "No Shipment ID found", data: { zone: "", itemType: "Box" } },
      { accept: goodsLine("S2") },
      { reject: "y", handle: "S3" },
    ];
    const importId = await recorded({ kind: "shipments", rows });
    const { text } = await get(`/v1/org/shipments/imports/${importId}/errors`);
    expect(text).toBe(
      '{"items":[{"shipmentId":"","error":"No Shipment ID found","data":{"zone":"","itemType":"Box"},"row":2,"state":"open"},' +
        '{"shipmentId":"S3","error":"y","data":{},"row":4,"state":"open"}],"nextCursor":null}',
    );
  });

  test("of activities carry their reference, or null", async () => {
    const importId = await recorded({ kind: "activities", source: "data", rows: [{ reject: "x" }, { reject: "y", handle: "R7" }] });
    const { body } = await get(`/v1/org/fulfilment/imports/${importId}/errors`);
    expect(body.items).toEqual([
      { reference: null, error: "x", data: {}, row: 1, state: "open" },
      { reference: "R7", error: "y", data: {}, row: 2, state: "open" },
    ]);
  });

  test("come page by page, each once, in row order", async () => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1001) });
    const path = `/v1/org/shipments/imports/${importId}/errors`;
    expect((await get(path)).body.items).toHaveLength(100);
    for (const limit of [1001, 501, 0, -1]) expect((await get(`${path}?limit=${limit}`)).status).toBe(400);
    for (const [limit, pages] of [
      [500, 3],
      [77, 13],
    ] as const) {
      const seen: unknown[] = [];
      let cursor: string | null = null;
      let count = 0;
      do {
        const query: string = cursor === null ? "" : `&cursor=${cursor}`;
        const { body }: { body: Json } = await get(`${path}?limit=${limit}${query}`);
        seen.push(...body.items.map((item) => item["row"]));
        cursor = body.nextCursor;
        count += 1;
      } while (cursor !== null);
      expect(count).toBe(pages);
      expect(seen).toEqual(Array.from({ length: 1001 }, (_, index) => index + 2));
    }
    expect((await get(`${path}?limit=1`)).body.items).toHaveLength(1);
  });

  test.each([
    ["limit=0", "limit must be a whole number from 1 to 500"],
    ["limit=501", "limit must be a whole number from 1 to 500"],
    ["limit=abc", "limit must be a whole number from 1 to 500"],
    ["limit=1e2", "limit must be a whole number from 1 to 500"],
    ["limit=", "limit must be a whole number from 1 to 500"],
    ["limit=1&limit=2", "limit must be a whole number from 1 to 500"],
    ["cursor=nonsense", "cursor is malformed: use the nextCursor of the previous page of this same list, unchanged"],
    ["cursor=", "cursor is malformed: use the nextCursor of the previous page of this same list, unchanged"],
  ])("are refused with 400 for %s", async (query, message) => {
    const importId = await recorded({ kind: "shipments", rows: rejects(1) });
    const { status, body } = await get(`/v1/org/shipments/imports/${importId}/errors?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({ statusCode: 400, message: [message], error: "Bad Request" });
  });

  test("of one import cannot be paged with the cursor of another", async () => {
    const [first, second] = [
      await recorded({ kind: "shipments", rows: rejects(3) }),
      await recorded({ kind: "shipments", rows: rejects(3) }),
    ];
    const { body } = await get(`/v1/org/shipments/imports/${first}/errors?limit=1`);
    expect((await get(`/v1/org/shipments/imports/${second}/errors?cursor=${body.nextCursor}`)).status).toBe(400);
    expect((await get(`/v1/org/shipments/imports/${first}/errors?cursor=${body.nextCursor}`)).status).toBe(200);
    expect((await get(`/v1/org/shipments/imports?cursor=${body.nextCursor}`)).status).toBe(400);
  });
});

describe("lists and ledgers", () => {
  let mine: { organisationId: string; key: string };
  const stored: string[] = [];

  beforeAll(async () => {
    mine = await insertOrganisation(model.pool);
    const { organisationId } = mine;
    const full = { customerId: "C1", quoteDate: "2026-03-01T00:00:00Z", totalCostReceived: 12.5, customFields: { costCentre: "7" } };
    for (const story of [
      { kind: "shipments", rows: [{ accept: goodsLine("S/1 ü", full) }, { accept: goodsLine("S2") }] },
      { kind: "activities", rows: [{ accept: activity({ reference: "R1", quantity: 0.1 }) }, { reject: "x" }, { accept: activity() }] },
      { kind: "activities", end: "cancelled", rows: [{ accept: activity() }] },
      { kind: "activities", end: "running", rows: [{ accept: activity() }] },
      { kind: "activities", rows: [{ accept: activity({ customerId: "C1", status: "done" }) }] },
    ] satisfies Story[]) {
      stored.push((await model.record({ organisationId, ...story })).importId);
    }
    await model.project();
  });

  test("imports are listed newest first, page by page, of one kind and organisation", async () => {
    const first = await get("/v1/org/fulfilment/imports?limit=3", mine.key);
    const second = await get(`/v1/org/fulfilment/imports?limit=3&cursor=${first.body.nextCursor}`, mine.key);
    expect([...first.body.items, ...second.body.items].map((each) => each["importId"])).toEqual([
      stored[4],
      stored[3],
      stored[2],
      stored[1],
    ]);
    expect(second.body.nextCursor).toBeNull();
    expect((await get("/v1/org/shipments/imports", mine.key)).body.items).toMatchObject([{ importId: stored[0], status: "completed" }]);
    expect((await get(`/v1/org/fulfilment/imports?cursor=${first.body.nextCursor}`, other.key)).status).toBe(400);
  });

  test("a shipment is shown as it was pushed, with what wrote it", async () => {
    const { text } = await get(`/v1/org/ledger/shipments/${encodeURIComponent("S/1 ü")}`, mine.key);
    expect(text).toBe(
      JSON.stringify({
        shipmentId: "S/1 ü",
        customerId: "C1",
        originPostCode: "2000",
        originSuburb: "Sydney",
        destinationPostCode: "3000",
        destinationSuburb: "Melbourne",
        quoteDate: "2026-03-01T00:00:00Z",
        totalCostReceived: 12.5,
        customFields: { costCentre: "7" },
        items: [{ itemType: "Carton", itemQuantity: 1, itemWeight: 2.5 }],
        sourceDetails: "march.csv",
        importId: stored[0],
        updatedAt: "2026-03-01T10:00:00.000Z",
      }),
    );
    expect((await get("/v1/org/ledger/shipments/S2", other.key)).status).toBe(404);
    expect((await get("/v1/org/ledger/shipments/%00", mine.key)).status).toBeLessThan(500);
  });

  test("the shipment ledger is paged by id", async () => {
    const first = await get("/v1/org/ledger/shipments?limit=1", mine.key);
    const second = await get(`/v1/org/ledger/shipments?limit=1&cursor=${first.body.nextCursor}`, mine.key);
    expect([...first.body.items, ...second.body.items].map((each) => each["shipmentId"])).toEqual(["S/1 ü", "S2"]);
    expect(second.body.nextCursor).toBeNull();
  });

  test("the activity ledger has completed imports only, one after the other", async () => {
    const { body } = await get("/v1/org/ledger/activities", mine.key);
    const plain = { warehouseCode: "W1", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-03-01T09:30:00Z" };
    expect(body.items).toEqual([
      { ...plain, quantity: 0.1, reference: "R1", importId: stored[1], row: 2 },
      { ...plain, importId: stored[1], row: 4 },
      { ...plain, customerId: "C1", status: "done", importId: stored[4], row: 2 },
    ]);
    const rows: unknown[] = [];
    let cursor: string | null = null;
    do {
      const next: { body: Json } = await get(`/v1/org/ledger/activities?limit=1${cursor === null ? "" : `&cursor=${cursor}`}`, mine.key);
      rows.push(...next.body.items);
      cursor = next.body.nextCursor;
    } while (cursor !== null);
    expect(rows).toEqual(body.items);
  });

  test("the activities of one import are found by its id, and those of another organisation's are not", async () => {
    expect((await get(`/v1/org/ledger/activities?importId=${stored[4]}`, mine.key)).body.items).toHaveLength(1);
    expect((await get(`/v1/org/ledger/activities?importId=${stored[3]}`, mine.key)).body).toEqual({ items: [], nextCursor: null });
    expect((await get(`/v1/org/ledger/activities?importId=${stored[4]}`, other.key)).status).toBe(404);
    expect((await get(`/v1/org/ledger/activities?importId=${stored[0]}`, mine.key)).status).toBe(404);
  });
});
