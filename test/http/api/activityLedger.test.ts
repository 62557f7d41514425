import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activity } from "../../support/importStory.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";
import { createShell, insertOrganisation } from "../../support/shell.js";

interface Json {
  readonly message: string | string[];
  readonly items: Record<string, unknown>[];
  readonly nextCursor: string | null;
  readonly total: { readonly quantity: string; readonly rows: number };
}

let model: ReadModel;
let app: ReturnType<typeof createShell>;
let acme: { organisationId: string; key: string };
let other: { organisationId: string; key: string };
let importId: string;

const ledger = "/v1/org/ledger/activities";
const totals = `${ledger}/totals`;

beforeAll(async () => {
  model = await startReadModel();
  app = createShell(model.pool, { deps: { eventStore: model.eventStore } });
  [acme, other] = [await insertOrganisation(model.pool), await insertOrganisation(model.pool)];
  const at = (activityTimestamp: string, more = {}) => ({ accept: activity({ activityTimestamp, ...more }) });
  const { organisationId } = acme;
  const told = await model.record({
    ...{ kind: "activities", organisationId },
    rows: [
      at("2026-02-28T23:59:59.999Z", { quantity: 5 }),
      at("2026-03-01T00:00:00Z", { quantity: 0.1, customerId: "C1" }),
      at("2026-03-31T23:59:59.999Z", { quantity: 0.2, customerId: "C1" }),
      at("2026-04-01T00:00:00Z", { quantity: 7 }),
      at("2026-03-15T12:10:00+02:00", { quantity: -2, warehouseCode: "W2", chargeCode: "PACK" }),
    ],
  });
  importId = told.importId;
  await model.record({ kind: "activities", organisationId, rows: [at("2026-03-02T00:00:00Z", { quantity: 4, customerId: "C1" })] });
  await model.record({ kind: "activities", organisationId: other.organisationId, rows: [at("2026-03-02T00:00:00Z")] });
  await model.project();
});
afterAll(() => model?.close());

async function get(path: string, query: Record<string, string> = {}, key = acme.key): Promise<{ status: number; body: Json }> {
  const response = await app.request(`${path}?${new URLSearchParams(query)}`, { headers: { "x-api-key": key } });
  return { status: response.status, body: (await response.json()) as Json };
}

test("a reference is that of an activity exactly, whatever else is asked for, and never another organisation's", async () => {
  const [one, another] = [await insertOrganisation(model.pool), await insertOrganisation(model.pool)];
  const referenceOf = (reference: string, more = {}) => ({ accept: activity({ reference, ...more }) });
  const rows = ["WMS-1", "WMS-10", "wms-1", "WMS-1"].map((reference, index) => referenceOf(reference, { chargeCode: `C${index}` }));
  const { importId: own } = await model.record({ kind: "activities", organisationId: one.organisationId, rows });
  await model.record({ kind: "activities", organisationId: another.organisationId, rows });
  await model.record({ kind: "activities", organisationId: one.organisationId, rows, end: "running" });
  const long = "x".repeat(300);
  await model.record({
    kind: "activities",
    organisationId: one.organisationId,
    rows: [`${long}1`, `${long}2`].map((each) => referenceOf(each)),
  });
  await model.project();
  const found = async (query: Record<string, string>) => (await get(ledger, query, one.key)).body;
  const rowsIn = ({ items }: Json) => items.map(({ importId, row }) => [importId === own, row]);
  expect(rowsIn(await found({ reference: "WMS-1" }))).toEqual([
    [true, 2],
    [true, 5],
  ]);
  const first = await found({ reference: "WMS-1", limit: "1" });
  expect(rowsIn(first)).toEqual([[true, 2]]);
  expect(rowsIn(await found({ reference: "WMS-1", limit: "1", cursor: first.nextCursor ?? "" }))).toEqual([[true, 5]]);
  expect((await get(ledger, { reference: "WMS-10", cursor: first.nextCursor ?? "" }, one.key)).status).toBe(400);
  expect(rowsIn(await found({ reference: "WMS-1", chargeCode: "C3", reversed: "include" }))).toEqual([[true, 5]]);
  expect(await found({ reference: `${long}2` })).toMatchObject({ items: [{ row: 3 }], nextCursor: null });
  expect(await found({ reference: "WMS" })).toEqual({ items: [], nextCursor: null });
  for (const reference of ["", "x".repeat(1_001), "\u0000"])
    expect((await get(ledger, { reference }, one.key)).status, reference).toBe(400);
});

const march = { from: "2026-03-01T00:00:00Z", to: "2026-04-01T00:00:00Z" };

describe("totals", () => {
  test("of a month include `from` and exclude `to`, and are exact decimals", async () => {
    const { status, body } = await get(totals, march);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        { customerId: null, warehouseCode: "W2", chargeCode: "PACK", quantity: "-2", rows: 1 },
        { customerId: "C1", warehouseCode: "W1", chargeCode: "PICK", quantity: "4.3", rows: 3 },
      ],
      total: { quantity: "2.3", rows: 4 },
    });
  });

  test.each([
    [{}, 6],
    [{ from: "2026-02-28T23:59:59.999Z" }, 6],
    [{ from: "2026-03-01T00:00:00.001Z" }, 4],
    [{ to: "2026-02-28T23:59:59.999Z" }, 0],
    [{ to: "2026-03-01T00:00:00Z" }, 1],
    [{ from: "2026-03-15T10:10:00Z", to: "2026-03-15T10:10:00.001Z" }, 1],
    [{ from: "2026-03-15T10:10:00Z", to: "2026-03-15T10:10:00Z" }, 0],
    [{ from: "2026-03-15T21:40:00+11:30", to: "2026-03-15T21:41:00+11:30" }, 1],
    [{ customerId: "C1" }, 3],
    [{ customerId: "" }, 3],
    [{ customerId: "C1", warehouseCode: "W2" }, 0],
    [{ warehouseCode: "W2", chargeCode: "PACK" }, 1],
    [{ chargeCode: "pick" }, 0],
  ])("%j: %i rows, and the list has the same", async (query, rows) => {
    expect((await get(totals, query)).body.total.rows).toBe(rows);
    expect((await get(ledger, query)).body.items).toHaveLength(rows);
  });

  test.each([
    [{ from: "2026-03-01", to: "2026-03-01" }, 2], // in UTC the day begins on 28 February at 13:00
    [{ from: "2026-03-01T10:59:59.999", to: "2026-03-01 11:00" }, 1],
    [{ from: "2026-03-01T11:00" }, 5],
    [{ from: "2026-03-02", to: "2026-03-31" }, 2], // in UTC the last day ends on 31 March at 13:00
    [{ from: "2026-04-01", to: "9999-12-31" }, 2],
    [{ from: "2026-04-01", to: "2026-03-31T13:00:00Z" }, 0],
  ])("%j: days and times without a zone are the organisation's; %i rows, and the list has the same", async (query, rows) => {
    await model.pool.query("update organisations set timezone = 'Australia/Sydney' where id = $1", [acme.organisationId]);
    try {
      expect((await get(totals, query)).body.total.rows).toBe(rows);
      expect((await get(ledger, query)).body.items).toHaveLength(rows);
    } finally {
      await model.pool.query("update organisations set timezone = 'UTC' where id = $1", [acme.organisationId]);
    }
  });

  test("are those of the key's organisation", async () => {
    const { body } = await get(totals, march, other.key);
    expect(body.total).toEqual({ quantity: "3", rows: 1 });
  });
});

test.each([totals, ledger, "/v1/org/ledger/shipments"])(
  "%s: a misspelt filter is a 400 that names it, and is not ignored",
  async (path) => {
    const { body } = await get(path, { month: "2026-03" });
    expect(body).toMatchObject({ statusCode: 400, message: ["month is not a recognised field"] });
  },
);

test.each([totals, ledger])("%s: a malformed time or code, or a `from` after `to`, is a 400 that names the field", async (path) => {
  const faulty: [Record<string, string>, string][] = [
    [{ from: "2026-02-30" }, "from"],
    [{ from: "2026-02-30T00:00:00Z" }, "from"],
    [{ from: "2026-03-02", to: "2026-03-01" }, "from"],
    [{ from: "2026-03-01T00:00:00 11:00" }, "from"],
    [{ from: "" }, "from"],
    [{ to: "1899-12-31T23:59:59Z" }, "to"],
    [{ from: "yesterday" }, "from"],
    [{ from: march.to, to: march.from }, "from"],
    [{ customerId: "x".repeat(201) }, "customerId"],
    [{ chargeCode: "x".repeat(201) }, "chargeCode"],
  ];
  for (const [query, named] of faulty) {
    const { status, body } = await get(path, query);
    expect([status, String(body.message)]).toEqual([400, expect.stringContaining(named)]);
  }
  expect((await get(path, { customerId: "x".repeat(200) })).status).toBe(200);
  const twice = await app.request(`${path}?chargeCode=A&chargeCode=B`, { headers: { "x-api-key": acme.key } });
  expect(twice.status).toBe(400);
});

describe("the filtered list", () => {
  test("is sorted by customer, warehouse, charge code and time, and each item has its import and row", async () => {
    const { body } = await get(ledger, march);
    expect(body.items.map(({ customerId, quantity, row }) => [customerId, quantity, row])).toEqual([
      [undefined, -2, 6],
      ["C1", 0.1, 3],
      ["C1", 4, 2],
      ["C1", 0.2, 4],
    ]);
    expect(body.items[0]).toEqual({
      ...{ warehouseCode: "W2", chargeCode: "PACK", quantity: -2, activityTimestamp: "2026-03-15T12:10:00+02:00" },
      ...{ importId, row: 6 },
    });
  });

  test("is read page by page; a cursor is valid for one filter and one organisation", async () => {
    const rows: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: Json } = await get(ledger, { ...march, limit: "1", ...(cursor === null ? {} : { cursor }) });
      rows.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(rows).toEqual((await get(ledger, march)).body.items);
    const { nextCursor } = (await get(ledger, { ...march, limit: "1" })).body;
    for (const another of [{ ...march, customerId: "" }, { ...march, chargeCode: "PICK" }, { from: march.from }, { importId }, {}])
      expect((await get(ledger, { ...another, cursor: nextCursor ?? "" })).status).toBe(400);
    expect((await get(ledger, { ...march, cursor: nextCursor ?? "" }, other.key)).status).toBe(400);
    const sameInstants = { from: "2026-03-01T11:00:00+11:00", to: march.to };
    expect((await get(ledger, { ...sameInstants, cursor: nextCursor ?? "" })).status).toBe(200);
  });

  test("with an import, only that import's rows; another organisation's import is a 404", async () => {
    expect((await get(ledger, { ...march, importId })).body.items.map(({ row }) => row)).toEqual([6, 3, 4]);
    expect((await get(ledger, { ...march, importId, customerId: "C1" })).body.items.map(({ row }) => row)).toEqual([3, 4]);
    expect((await get(ledger, { ...march, importId }, other.key)).status).toBe(404);
  });

  test.each(["0", "501", "x"])("limit=%s is a 400", async (limit) => {
    expect((await get(ledger, { ...march, limit })).status).toBe(400);
  });
});
