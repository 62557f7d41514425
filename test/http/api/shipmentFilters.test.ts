import { afterAll, beforeAll, expect, test } from "vitest";
import { createGeography } from "../../../src/domain/geography/geography.js";
import { goodsLine } from "../../support/importStory.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";
import { createShell, insertOrganisation } from "../../support/shell.js";

interface Json {
  readonly items: { readonly shipmentId: string }[];
  readonly nextCursor: string | null;
}

const suburb = (name: string, postalCode: string) => ({
  ...{ postalCode, suburb: name, city: name, state: "VIC", stateName: "Victoria", poBox: false },
});
const geography = createGeography((country) =>
  country === "AU" ? [suburb("Richmond", "2753"), suburb("Richmond", "3121"), suburb("Richmond Hill", "3123")] : undefined,
);

let model: ReadModel;
let app: ReturnType<typeof createShell>;
let acme: { organisationId: string; key: string };
let other: { organisationId: string; key: string };

beforeAll(async () => {
  model = await startReadModel();
  app = createShell(model.pool, { deps: { eventStore: model.eventStore, geography } });
  [acme, other] = [await insertOrganisation(model.pool), await insertOrganisation(model.pool)];
  const { organisationId } = acme;
  const lines = (ids: string[], customerId: string) => ids.map((id) => ({ accept: goodsLine(id, { customerId }) }));
  const march = { kind: "shipments", organisationId, sourceDetails: "march.csv", at: "2026-03-01T10:00:00.000Z" } as const;
  await model.record({ ...march, rows: lines(["SO-1", "SO-10", "SO-2", "so-1"], "C1") });
  await model.record({ ...march, sourceDetails: "april.csv", at: "2026-04-01T00:00:00.000Z", rows: lines(["SO-11", "T-1"], "C2") });
  const elsewhere = [
    goodsLine("P-1", { originPostCode: "3121", originSuburb: "richmond", destinationPostCode: "3121", destinationSuburb: "Richmond" }),
    goodsLine("P-2", { destinationPostCode: "2753", destinationSuburb: "RICHMOND" }),
    goodsLine("P-3", { destinationPostCode: "3121", destinationSuburb: "Burnley" }),
  ];
  const may = { ...march, sourceDetails: "may.csv", at: "2026-05-01T00:00:00.000Z" };
  await model.record({ ...may, rows: elsewhere.map((accept) => ({ accept })) });
  await model.record({ kind: "shipments", organisationId: other.organisationId, rows: lines(["SO-1", "SO-9"], "C1") });
  await model.project();
});
afterAll(() => model?.close());

async function get(query: Record<string, string>, key = acme.key): Promise<{ status: number; body: Json }> {
  const response = await app.request(`/v1/org/ledger/shipments?${new URLSearchParams(query)}`, { headers: { "x-api-key": key } });
  return { status: response.status, body: (await response.json()) as Json };
}

async function ids(query: Record<string, string>, key = acme.key): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: { status: number; body: Json } = await get({ ...query, ...(cursor === null ? {} : { cursor }) }, key);
    expect(status).toBe(200);
    found.push(...body.items.map(({ shipmentId }) => shipmentId));
    cursor = body.nextCursor;
  } while (cursor !== null);
  return found;
}

test.each([
  [{ shipmentIdPrefix: "SO-1" }, ["SO-1", "SO-10", "SO-11"]],
  [{ shipmentIdPrefix: "SO-1", customerId: "C1" }, ["SO-1", "SO-10"]],
  [{ shipmentIdPrefix: "%" }, []],
  [{ customerId: "C2" }, ["SO-11", "T-1"]],
  [{ sourceDetails: "march.csv" }, ["SO-1", "SO-10", "SO-2", "so-1"]],
  [{ from: "2026-04-01T00:00:00Z" }, ["P-1", "P-2", "P-3", "SO-11", "T-1"]], // the import that ended last comes first
  [{ from: "2026-04-01T00:00:00Z", customerId: "C2" }, ["SO-11", "T-1"]],
  [{ sourceDetails: "march.csv", shipmentIdPrefix: "SO-1" }, ["SO-1", "SO-10"]],
  [{ sourceDetails: "march.csv", from: "2026-04-01T00:00:00Z" }, []],
  [{ place: "3121" }, ["P-1", "P-3"]],
  [{ place: "Richmond" }, ["P-1", "P-2"]],
  [{ place: "Richmond", shipmentIdPrefix: "P-2" }, ["P-2"]],
  [{ place: "Richmond", from: "2026-05-02T00:00:00Z" }, []],
  [{ place: "Richmond", placeCountry: "NZ" }, []],
  [{ place: "3000", customerId: "C2" }, ["SO-11", "T-1"]],
  [{ place: "Nowhere" }, []],
  [{ to: "2026-04-01T00:00:00Z", shipmentIdPrefix: "SO" }, ["SO-1", "SO-10", "SO-2"]],
  [{ from: "2026-03-01T10:00:00Z", to: "2026-03-01T10:00:00Z" }, []],
])("%j finds %j, whatever the pages' size", async (query, expected) => {
  expect(await ids(query)).toEqual(expected);
  expect(await ids({ ...query, limit: "1" })).toEqual(expected);
});

test("another organisation sees its own shipments, and refuses this one's cursors", async () => {
  expect(await ids({ shipmentIdPrefix: "SO-" }, other.key)).toEqual(["SO-1", "SO-9"]);
  const { nextCursor } = (await get({ shipmentIdPrefix: "SO-", limit: "1" })).body;
  expect((await get({ shipmentIdPrefix: "SO-", cursor: nextCursor ?? "" }, other.key)).status).toBe(400);
  expect((await get({ shipmentIdPrefix: "SO", cursor: nextCursor ?? "" })).status).toBe(400);
});

test("a malformed filter is a 400", async () => {
  const faulty = [
    { shipmentIdPrefix: "" },
    { shipmentIdPrefix: "x".repeat(201) },
    { from: "x" },
    { sourceDetails: "x".repeat(501) },
    { place: " " },
    { place: "a\0" },
  ];
  for (const query of [...faulty, { from: "2026-04-01T00:00:00Z", to: "2026-03-01T00:00:00Z" }])
    expect((await get(query)).status).toBe(400);
});

test("a page looks at 5,000 shipments at most, and goes on where it stopped", async () => {
  await model.pool.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select $1, 'FILL-' || lpad(n::text, 6, '0'), jsonb_build_object('shipmentId', 'x', 'customerId', 'C9'),
       '[]', case n when 12000 then 'rare' else 'filled' end, gen_random_uuid(), now(), 1 from generate_series(1, 12500) as n`,
    [acme.organisationId],
  );
  const pages: number[] = [];
  let cursor: string | null = null;
  do {
    const query = { customerId: "C9", sourceDetails: "rare", ...(cursor === null ? {} : { cursor }) };
    const { body }: { body: Json } = await get(query);
    pages.push(body.items.length);
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(pages).toEqual([0, 0, 1]);
  expect((await get({ shipmentIdPrefix: "SO-1" })).body.nextCursor).toBeNull();
});
