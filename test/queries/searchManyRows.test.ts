// A search reads about as many rows as it shows, however many there are. Postgres counts the rows; no time is measured.
import { afterAll, beforeAll, expect, test } from "vitest";
import { listInPushOrder } from "../../src/queries/activities/activitiesInPushOrder.js";
import { findActivities, findImports, findShipments } from "../../src/queries/search.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows, rowsLookedAt } from "../support/stores/rowsLookedAt.js";

const imports = 4_000;
const rowsOfEach = 15;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  await pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     select gen_random_uuid(), n, case when n % 2 = 0 then 'acme' else 'other' end, 'activities', 'file', 'nightly ' || n, 'completed', 100, 1, 1, 0,
       'k', 'picks-' || n || '.csv', 1, '', 'cli:x', '[]', now(), now(), 1 from generate_series(1, $1::int) as n`,
    [imports],
  );
  await pool.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, reference)
     select n, r, 'W', 'PICK', 1, '2026-03-01T09:30:00Z', 'REF-' || n || '-' || r
       from generate_series(1, $1::int) as n cross join generate_series(1, ${rowsOfEach}) as r`,
    [imports],
  );
  await pool.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select case when n % 2 = 0 then 'acme' else 'other' end, 'SHP-' || n, '{}', '[]', '', gen_random_uuid(), now(), n from generate_series(1, 40000) as n`,
  );
  await clearDeadRows(pool);
});
afterAll(() => database?.close());

const searches = [
  ["imports by the beginning of a reference", "imports", () => findImports("acme", "nightly 39", database.one), 10],
  ["imports by a file's name", "imports", () => findImports("acme", "picks-12.csv", database.one), 1],
  ["shipments", "shipments", () => findShipments("acme", "SHP-398", database.one), 10],
  ["activities by the whole reference", "activities", () => findActivities("acme", "REF-8-3", database.one), 1],
  ["activities by its beginning", "activities", () => findActivities("acme", "REF-8-", database.one), 10],
] as const;

test.each(searches)("%s", async (_, table, search, expected) => {
  let found: readonly unknown[] = [];
  const looked = await rowsLookedAt(database.one, table, async () => {
    found = await search();
  });
  expect(found).toHaveLength(expected);
  expect(looked).toBeLessThan(100);
});

test("the ledger of one reference", async () => {
  const page = { limit: 100, cursor: undefined, secret: "secret" };
  let found: readonly unknown[] = [];
  const looked = await rowsLookedAt(database.one, "activities", async () => {
    const listed = { reversed: "leaveOut", unusualOnly: false, reference: "REF-8-3" } as const;
    found = (await listInPushOrder("acme", {}, listed, page, database.one)).items;
  });
  expect(found).toEqual([expect.objectContaining({ row: 3, values: expect.objectContaining({ reference: "REF-8-3" }) })]);
  expect(looked).toBeLessThan(100);
});
