// Each search of the shipment ledger reads about as many rows as its page has, however many shipments there are. Postgres counts the rows.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageRequest } from "../../src/queries/rowPage.js";
import type { ShipmentFilter } from "../../src/queries/shipments/shipmentFilter.js";
import { listShipments } from "../../src/queries/shipments/shipmentLedger.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows, rowsLookedAt } from "../support/stores/rowsLookedAt.js";

const imports = 60;
const shipmentsEach = 1_000;
const page: PageRequest = { limit: 25, cursor: undefined, secret: "secret" };
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));

let database: TestDatabase;
let one: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = database.one;
  await database.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     select gen_random_uuid(), n, 'acme', 'shipments', 'file', 'day ' || n, 'completed', 100, 1, 1, 0, 'k', 'x.csv', 1, '', 'cli:x', '[]', now(),
       timestamptz '2026-01-01T00:00:00Z' + make_interval(days => n), 1
     from generate_series(1, $1::int) as n`,
    [imports],
  );
  // Shipments of the last customer, and those to or from its places, have the last ids.
  await database.pool.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select case when r % 10 = 0 then 'other' else 'acme' end, 'SO-' || lpad((n * 1000 + r)::text, 6, '0'),
       jsonb_build_object('shipmentId', 'SO-' || lpad((n * 1000 + r)::text, 6, '0'), 'customerId', 'C' || n, 'originPostCode', (2000 + n)::text, 'originSuburb', 'Origin ' || n,
         'destinationPostCode', (3000 + n)::text, 'destinationSuburb', case when r < 500 then 'Near' else 'Far' end),
       '[]', 'day ' || n, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + make_interval(days => n), n
     from generate_series(1, $1::int) as n, generate_series(0, $2::int - 1) as r`,
    [imports, shipmentsEach],
  );
  await clearDeadRows(database.pool);
});
afterAll(async () => {
  await database?.close();
});

const place = (postCode: string, suburb?: string) => ({ place: { postCodes: [postCode], suburb } });
const list = (filter: ShipmentFilter, cursor?: string | null) =>
  listShipments("acme", filter, { ...page, cursor: cursor ?? undefined }, one);
/** The ids of an import's shipments that are acme's. */
const idsOf = (n: number) =>
  Array.from({ length: shipmentsEach }, (_, r) => r)
    .filter((r) => r % 10 !== 0)
    .map((r) => `SO-${String(n * 1000 + r).padStart(6, "0")}`);

describe.each<[string, ShipmentFilter, string[]]>([
  ["the beginning of an id", { shipmentIdPrefix: "SO-060" }, idsOf(60)],
  ["a customer", { customerId: "C60" }, idsOf(60)],
  ["a reference", { sourceDetails: "day 60" }, idsOf(60)],
  ["the postcode of an origin", place("2060"), idsOf(60)],
  ["the postcode of a destination", place("3060"), idsOf(60)],
  ["the day of the newest", { from: day(60), to: day(61) }, idsOf(60)],
  ["the day of the oldest", { from: day(1), to: day(2) }, idsOf(1)],
  ["several days", { from: day(58), to: day(60) }, [...idsOf(59), ...idsOf(58)]],
  ["a customer and the beginning of an id", { customerId: "C60", shipmentIdPrefix: "SO-0605" }, idsOf(60).slice(450, 540)],
])("by %s", (_, filter, expected) => {
  test("each shipment is found once, in order, and of one organisation", async () => {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { items, nextCursor } = await listShipments("acme", filter, { ...page, limit: 500, cursor: cursor ?? undefined }, one);
      seen.push(...idsIn(items));
      cursor = nextCursor;
    } while (cursor);
    expect(seen).toEqual(expected);
  });

  test("Postgres reads fewer than 150 shipments for the first page and for the next one", async () => {
    expect(await rowsLookedAt(one, "shipments", () => list(filter))).toBeLessThan(150);
    const { nextCursor } = await list(filter);
    expect(await rowsLookedAt(one, "shipments", () => list(filter, nextCursor))).toBeLessThan(150);
  });

  test("a value that no shipment has costs nearly nothing", async () => {
    const none = { ...filter, ...("place" in filter ? place("9999") : filter.from ? { from: day(900), to: day(901) } : {}) };
    const nobody = { customerId: filter.customerId && "nobody", sourceDetails: filter.sourceDetails && "none" };
    const asked = { ...none, ...nobody, shipmentIdPrefix: filter.shipmentIdPrefix && "TX-" };
    expect(await rowsLookedAt(one, "shipments", async () => expect((await list(asked)).items).toEqual([]))).toBeLessThan(10);
  });
});

const idsIn = (items: readonly Record<string, unknown>[]) => items.map(({ shipmentId }) => String(shipmentId));

test("a combination without an index reads about 5,000 shipments for a page, and has a cursor for the rest", async () => {
  const filter = { shipmentIdPrefix: "SO-", from: day(60) };
  const looked = await rowsLookedAt(one, "shipments", async () => {
    const { items, nextCursor } = await list(filter);
    expect(items).toEqual([]);
    expect(nextCursor).not.toBeNull();
  });
  expect(looked).toBeGreaterThanOrEqual(5_000);
  expect(looked).toBeLessThan(11_000);
});

test("a postcode with a suburb finds shipments of that suburb only", async () => {
  const { items } = await list(place("3060", "FAR"));
  expect(idsIn(items)[0]).toBe("SO-060501");
});

test("when more imports match than one page reads, it has a cursor for the rest", async () => {
  await one.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     select gen_random_uuid(), n, 'acme', 'shipments', 'file', 'day 60', 'completed', 100, 1, 1, 0, 'k', 'x.csv', 1, '', 'cli:x', '[]', now(),
       '2027-01-01T00:00:00Z', 1 from generate_series(1000, 2499) as n`,
  );
  const pages: number[] = [];
  let cursor: string | null | undefined;
  do {
    const { items, nextCursor } = await listShipments(
      "acme",
      { sourceDetails: "day 60" },
      { ...page, limit: 900, cursor: cursor ?? undefined },
      one,
    );
    pages.push(items.length);
    cursor = nextCursor;
  } while (cursor);
  expect(pages).toEqual([0, 900]);
});
