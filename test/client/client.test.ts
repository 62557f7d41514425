// The published client against the running service.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ConflictError,
  ConnectionError,
  type Import,
  InvalidRequestError,
  NotFoundError,
  UnauthorisedError,
  WaitTimeoutError,
  Waybill,
} from "../../packages/client/src/index.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { startTcpProxy, type TcpProxy } from "../support/stores/tcpProxy.js";

let service: TestService;
let roles: Role[] = [];
let proxy: TcpProxy;
let folder: string;
let organisation: TestOrganisation;
let waybill: Waybill;

beforeAll(async () => {
  service = await startTestService();
  roles = [startWorker(service), startProjector(service)];
  proxy = await startTcpProxy(service.url);
  folder = await mkdtemp(join(tmpdir(), "waybill-client-"));
  organisation = await service.organisation();
  waybill = new Waybill({ baseUrl: service.url, apiKey: organisation.key });
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await proxy?.stop();
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const quick = { firstInterval: 20, longestInterval: 200 };
const header = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference";
const csv = `${header}\nSYD1,PICK,2,2026-07-01T09:30:00Z,CUST-001,A\nSYD1,PICK,some,2026-07-01T09:31:00Z,CUST-001,B\nSYD1,PICK,no,2026-07-01T09:32:00Z,CUST-001,C\n`;
const activities = [{ warehouseCode: "SYD1", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-07-01T09:30:00Z" }];

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const got: Item[] = [];
  for await (const item of items) got.push(item);
  return got;
}

/** A client whose first answer is lost on its way. The service has handled that request. */
async function withLostAnswer(): Promise<{ client: Waybill; sent: () => number }> {
  const { key } = await service.organisation();
  let sent = 0;
  const unreliable: typeof fetch = (input, init) => {
    proxy.set({ kind: ++sent === 1 ? "cutReplies" : "pass" });
    return fetch(input, init);
  };
  const client = new Waybill({ baseUrl: proxy.address, apiKey: key, fetch: unreliable, firstDelay: 1 });
  return { client, sent: () => sent };
}

test("quotes are generated, fetched and listed", async () => {
  const request = {
    general: { customerIds: ["CUST-001"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 1, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
  };
  const { results } = await waybill.quotes.generate(request);
  const quoteId = results[0]?.quoteId ?? "";
  expect((await waybill.quotes.get(quoteId)).results).toEqual(results);
  await expect.poll(async () => (await all(waybill.quotes.list({ limit: 1 }))).map((quote) => quote.quoteId)).toEqual([quoteId]);
});

test("shipments are pushed, waited for and read from the ledger, page by page", async () => {
  const place = { originPostCode: "2000", originSuburb: "Sydney", destinationPostCode: "3000", destinationSuburb: "Melbourne" };
  const items = [{ itemType: "CARTON", itemQuantity: 1 }];
  const shipments = ["S-1", "S-2", "S-3"].map((shipmentId) => ({ shipmentId, customerId: "CUST-001", ...place, items }));
  const states: Import[] = [];
  const accepted = await waybill.shipments.push({ shipments, sourceDetails: "Monday" });
  const ended = await waybill.imports.wait(accepted, { ...quick, onProgress: (state) => states.push(state) });
  expect(ended).toMatchObject({ importId: accepted.importId, status: "completed", counts: { processed: 3 }, sourceDetails: "Monday" });
  expect(states.at(-1)).toEqual(ended);
  await expect.poll(async () => (await all(waybill.shipments.ledger.list({ limit: 1 }))).length).toBe(3);
  expect((await waybill.shipments.ledger.get("S-2")).shipmentId).toBe("S-2");
  expect((await all(waybill.shipments.imports.list())).map(({ importId }) => importId)).toEqual([accepted.importId]);
});

test("a file is uploaded from a path, its rejected rows are read page by page and corrected; a second correction is a conflict", async () => {
  const { key } = await service.organisation();
  const client = new Waybill({ baseUrl: service.url, apiKey: key });
  const path = join(folder, "activities.csv");
  await writeFile(path, csv);
  const { importId } = await client.activities.upload(path, { sourceDetails: "Nightly" });
  expect(await client.activities.imports.wait(importId, quick)).toMatchObject({
    counts: { processed: 1, failed: 2 },
    sourceDetails: "Nightly",
  });
  const rejected = await all(client.activities.imports.rejectedRows(importId, { limit: 1 }));
  expect(rejected.map(({ reference }) => reference)).toEqual(["B", "C"]);
  const rows = rejected.map(({ row }) => ({ row, values: { quantity: "5" } }));
  const corrected = await client.activities.imports.correct(importId, rows);
  expect(await client.imports.wait(corrected.importId, quick)).toMatchObject({ status: "completed", counts: { processed: 2, failed: 0 } });
  await expect(client.activities.imports.correct(importId, rows)).rejects.toThrow(ConflictError);
  await expect(client.activities.imports.cancel(importId)).rejects.toThrow(ConflictError);
  await expect.poll(async () => (await client.activities.ledger.totals()).total.quantity).toBe("12");
  expect(await all(client.activities.ledger.list({ limit: 2 }))).toHaveLength(3);
});

test("a Blob, a File and a stream are uploaded under their names", async () => {
  const bytes = new TextEncoder().encode(csv);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const sources = [
    waybill.activities.upload(new Blob([csv]), { name: "blob.csv" }),
    waybill.activities.upload(new File([csv], "file.csv")),
    waybill.activities.upload(new Blob([csv]).stream(), { name: "stream.csv" }),
    waybill.activities.upload(chunks(), { name: 'chunks "7".csv', sourceDetails: "In sevens, für später" }),
  ];
  const ended = await Promise.all(sources.map(async (source) => waybill.imports.wait(await source, quick)));
  expect(ended.map(({ status, counts }) => [status, counts.processed, counts.failed])).toEqual(sources.map(() => ["completed", 1, 2]));
  const names = ["blob.csv", "file.csv", "stream.csv", "In sevens, für später"];
  expect(ended.map(({ sourceDetails }) => sourceDetails)).toEqual(names);
  await expect(waybill.activities.upload(new Blob([csv]))).rejects.toThrow(TypeError);
  await expect(waybill.activities.upload(join(folder, "missing.csv"))).rejects.toThrow("missing.csv");
});

test("a running import is cancelled, and `wait` then returns it as cancelled", async () => {
  const { key } = await service.organisation();
  const client = new Waybill({ baseUrl: service.url, apiKey: key });
  const rows = "SYD1,PICK,2,2026-07-01T09:30:00Z,CUST-001,A\n".repeat(200_000);
  const { importId } = await client.activities.upload(new Blob([`${header}\n`, rows]), { name: "long.csv" });
  const states: string[] = [];
  const ended = client.imports.wait(importId, { ...quick, onProgress: ({ status }) => states.push(status) });
  await expect.poll(() => states).toContain("processing");
  expect(await client.activities.imports.cancel(importId)).toMatchObject({ importId, status: "cancelled" });
  expect(await ended).toMatchObject({ importId, status: "cancelled", counts: { processed: 0 } });
  expect(await client.activities.imports.cancel(importId)).toMatchObject({ status: "cancelled" });
  expect(await all(client.activities.ledger.list())).toEqual([]);
});

describe("when the answer to a push is lost", () => {
  test.each([
    ["activities as JSON", (client: Waybill) => client.activities.push({ activities })],
    ["a file from a path", (client: Waybill) => client.activities.upload(join(folder, "lost.csv"))],
    ["a Blob", (client: Waybill) => client.activities.upload(new Blob([csv]), { name: "lost.csv" })],
  ])("%s: sent again, it makes one import", async (_, push) => {
    await writeFile(join(folder, "lost.csv"), csv);
    const { client, sent } = await withLostAnswer();
    const { importId } = await push(client);
    expect(sent()).toBe(2);
    expect((await all(client.activities.imports.list())).map((each) => each.importId)).toEqual([importId]);
  });

  test("a stream is not sent again, and the error has the Idempotency-Key with which a new upload finds the same import", async () => {
    const { client, sent } = await withLostAnswer();
    const failed = await client.activities.upload(new Blob([csv]).stream(), { name: "once.csv" }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConnectionError);
    expect(sent()).toBe(1);
    const idempotencyKey = (failed as ConnectionError).idempotencyKey ?? "";
    const { importId } = await client.activities.upload(new Blob([csv]), { name: "once.csv", idempotencyKey });
    expect((await all(client.activities.imports.list())).map((each) => each.importId)).toEqual([importId]);
  });
});

test("errors have their own classes, with status, messages and request id", async () => {
  const invalid = await waybill.activities.push({ activities: [] }).catch((error: unknown) => error);
  expect(invalid).toBeInstanceOf(InvalidRequestError);
  expect(invalid).toMatchObject({ status: 400, name: "InvalidRequestError", requestId: expect.stringMatching(/./) });
  expect((invalid as InvalidRequestError).messages).toEqual(["activities must contain at least 1 element"]);
  await expect(waybill.quotes.get(randomUUID())).rejects.toThrow(NotFoundError);
  await expect(waybill.imports.wait(randomUUID())).rejects.toThrow(NotFoundError);
  await expect(new Waybill({ baseUrl: service.url, apiKey: "none" }).activities.ledger.totals()).rejects.toThrow(UnauthorisedError);
});

test("`wait` ends at its timeout or by its signal, and sends no request when it is given a webhook event of the import's end", async () => {
  const { key } = await service.organisation();
  let asked = 0;
  const queued: typeof fetch = async (input, init) => {
    asked += 1;
    const answer = (await (await fetch(input, init)).json()) as Import;
    return Response.json({ ...answer, status: "queued" });
  };
  const client = new Waybill({ baseUrl: service.url, apiKey: key, fetch: queued });
  const { importId } = await new Waybill({ baseUrl: service.url, apiKey: key }).activities.push({ activities });
  await expect(client.activities.imports.wait(importId, { ...quick, timeout: 100 })).rejects.toThrow(WaitTimeoutError);
  const control = new AbortController();
  const waited = client.activities.imports.wait(importId, { signal: control.signal, onProgress: () => control.abort(new Error("enough")) });
  await expect(waited).rejects.toThrow("enough");
  const ended = await new Waybill({ baseUrl: service.url, apiKey: key }).imports.wait(importId, quick);
  const before = asked;
  expect(await client.imports.wait({ type: "import.completed", timestamp: String(ended.finishedAt), data: ended })).toEqual(ended);
  expect(asked).toBe(before);
});
