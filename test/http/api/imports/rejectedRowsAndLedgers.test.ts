import { beforeAll, describe, expect, test } from "vitest";
import { activity, goodsLine, type Story } from "../../../support/importStory.js";
import { insertOrganisation } from "../../../support/shell.js";
import { type Json, rejects, useImports } from "./stage.js";

const stage = useImports();
const { get, recorded } = stage;

describe("rejected rows", () => {
  test("of shipments have the shipment's id, the reason, the values and the row number", async () => {
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

  test("of activities have their reference, or null", async () => {
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
    mine = await insertOrganisation(stage.model.pool);
    const { organisationId } = mine;
    const full = { customerId: "C1", quoteDate: "2026-03-01T00:00:00Z", totalCostReceived: 12.5, customFields: { costCentre: "7" } };
    for (const story of [
      { kind: "shipments", rows: [{ accept: goodsLine("S/1 ü", full) }, { accept: goodsLine("S2") }] },
      { kind: "activities", rows: [{ accept: activity({ reference: "R1", quantity: 0.1 }) }, { reject: "x" }, { accept: activity() }] },
      { kind: "activities", end: "cancelled", rows: [{ accept: activity() }] },
      { kind: "activities", end: "running", rows: [{ accept: activity() }] },
      { kind: "activities", rows: [{ accept: activity({ customerId: "C1", status: "done" }) }] },
    ] satisfies Story[]) {
      stored.push((await stage.model.record({ organisationId, ...story })).importId);
    }
    await stage.model.project();
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
    expect((await get(`/v1/org/fulfilment/imports?cursor=${first.body.nextCursor}`, stage.other.key)).status).toBe(400);
  });

  test("a shipment is shown as it was pushed, with the import that wrote it", async () => {
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
    expect((await get("/v1/org/ledger/shipments/S2", stage.other.key)).status).toBe(404);
    expect((await get("/v1/org/ledger/shipments/%00", mine.key)).status).toBeLessThan(500);
  });

  test("the shipment ledger is paged by id", async () => {
    const first = await get("/v1/org/ledger/shipments?limit=1", mine.key);
    const second = await get(`/v1/org/ledger/shipments?limit=1&cursor=${first.body.nextCursor}`, mine.key);
    expect([...first.body.items, ...second.body.items].map((each) => each["shipmentId"])).toEqual(["S/1 ü", "S2"]);
    expect(second.body.nextCursor).toBeNull();
  });

  test("the activity ledger has the rows of completed imports only, in the order of the imports", async () => {
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

  test("the activities of one import are found by its id; another organisation's import is a 404", async () => {
    expect((await get(`/v1/org/ledger/activities?importId=${stored[4]}`, mine.key)).body.items).toHaveLength(1);
    expect((await get(`/v1/org/ledger/activities?importId=${stored[3]}`, mine.key)).body).toEqual({ items: [], nextCursor: null });
    expect((await get(`/v1/org/ledger/activities?importId=${stored[4]}`, stage.other.key)).status).toBe(404);
    expect((await get(`/v1/org/ledger/activities?importId=${stored[0]}`, mine.key)).status).toBe(404);
  });
});
