import { afterAll, beforeAll, expect, test } from "vitest";
import { goodsLine } from "../../support/importStory.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";
import { createShell, insertOrganisation } from "../../support/shell.js";

interface Json {
  readonly items: { readonly shipmentId: string }[];
  readonly nextCursor: string | null;
}

let model: ReadModel;
let app: ReturnType<typeof createShell>;
let acme: { organisationId: string; key: string };
let other: { organisationId: string; key: string };

beforeAll(async () => {
  model = await startReadModel();
  app = createShell(model.pool, { deps: { eventStore: model.eventStore } });
  [acme, other] = [await insertOrganisation(model.pool), await insertOrganisation(model.pool)];
  const { organisationId } = acme;
  const lines = (ids: string[], customerId: string) => ids.map((id) => ({ accept: goodsLine(id, { customerId }) }));
  const march = { kind: "shipments", organisationId, sourceDetails: "march.csv", at: "2026-03-01T10:00:00.000Z" } as const;
  await model.record({ ...march, rows: lines(["SO-1", "SO-10", "SO-2", "so-1"], "C1") });
  await model.record({ ...march, sourceDetails: "april.csv", at: "2026-04-01T00:00:00.000Z", rows: lines(["SO-11", "T-1"], "C2") });
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
  [{ from: "2026-04-01T00:00:00Z" }, ["SO-11", "T-1"]],
  [{ to: "2026-04-01T00:00:00Z", shipmentIdPrefix: "SO" }, ["SO-1", "SO-10", "SO-2"]],
  [{ from: "2026-03-01T10:00:00Z", to: "2026-03-01T10:00:00Z" }, []],
])("%j finds %j, whatever the pages' size", async (query, expected) => {
  expect(await ids(query)).toEqual(expected);
  expect(await ids({ ...query, limit: "1" })).toEqual(expected);
});

test("another organisation has its own, and its cursors are not taken", async () => {
  expect(await ids({ shipmentIdPrefix: "SO-" }, other.key)).toEqual(["SO-1", "SO-9"]);
  const { nextCursor } = (await get({ shipmentIdPrefix: "SO-", limit: "1" })).body;
  expect((await get({ shipmentIdPrefix: "SO-", cursor: nextCursor ?? "" }, other.key)).status).toBe(400);
  expect((await get({ shipmentIdPrefix: "SO", cursor: nextCursor ?? "" })).status).toBe(400);
});

test("a malformed filter is a 400", async () => {
  const faulty = [{ shipmentIdPrefix: "" }, { shipmentIdPrefix: "x".repeat(201) }, { from: "x" }, { sourceDetails: "x".repeat(501) }];
  for (const query of [...faulty, { from: "2026-04-01T00:00:00Z", to: "2026-03-01T00:00:00Z" }])
    expect((await get(query)).status).toBe(400);
});

test("a page looks at 5,000 shipments at most, and goes on where it stopped", async () => {
  await model.pool.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select $1, 'FILL-' || lpad(n::text, 6, '0'), jsonb_build_object('shipmentId', 'x', 'customerId', case n when 12000 then 'RARE' else 'C9' end),
       '[]', 'filled', gen_random_uuid(), now(), 1 from generate_series(1, 12500) as n`,
    [acme.organisationId],
  );
  const pages: number[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: Json } = await get({ customerId: "RARE", ...(cursor === null ? {} : { cursor }) });
    pages.push(body.items.length);
    cursor = body.nextCursor;
  } while (cursor !== null);
  expect(pages).toEqual([0, 0, 1]);
  expect((await get({ shipmentIdPrefix: "SO-1" })).body.nextCursor).toBeNull();
});
