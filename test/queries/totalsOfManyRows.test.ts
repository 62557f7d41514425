// A month's totals and a page of its rows read about the same number of rows, however many months there are. Postgres counts the rows.
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTotals } from "../../src/projections/models/activities.js";
import { listActivities } from "../../src/queries/activities/activityRows.js";
import { readActivityTotals, sumOfTotals } from "../../src/queries/activities/activityTotals.js";
import { allActivities } from "../../src/queries/activities/allActivities.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows } from "../support/stores/rowsLookedAt.js";

const months = 60;
const rowsEach = 1_000;
const secret = "secret";
const month = { from: new Date("2026-03-01T00:00:00Z"), to: new Date("2026-04-01T00:00:00Z") };
const cut = { from: new Date("2026-03-01T00:10:00Z"), to: new Date("2026-03-31T23:50:00Z") };

let database: TestDatabase;
let one: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = database.one;
  await fill("small", "2026-03-01", 1, 0);
  await fill("large", "2023-01-01", months, months);
  await clearDeadRows(database.pool);
});
afterAll(async () => {
  await database?.close();
});

/** Writes one import a month, each with the same twelve groups over the same hours of its month. */
async function fill(organisationId: string, first: string, count: number, before: number): Promise<void> {
  await database.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, revision)
     select gen_random_uuid(), n, $1, 'activities', 'file', 'x', 'completed', 100, 1, 1, 0, 'k', 'x.csv', 1, '', 'wb_live_x', '[]', now(), 1
       from generate_series($3::int + 1, $3::int + $2::int) as n`,
    [organisationId, count, before],
  );
  await database.pool.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id)
     select n, r, 'W' || r % 2, 'C' || r % 3, 0.1,
            to_char($1::timestamp + make_interval(months => n - $2 - 1, mins => r * 37), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'CUST-' || r % 4
       from generate_series($2::int + 1, $2::int + $3::int) as n, generate_series(2, $4::int + 1) as r`,
    [first, before, count, rowsEach],
  );
  const completed = Array.from({ length: count }, (_, n) => ({ position: String(before + n + 1), organisationId }));
  const client = await database.pool.connect();
  await client.query("begin");
  await writeTotals(client, completed);
  await client.query("commit");
  client.release();
}

/** How many rows of the two tables Postgres reads during `read`. */
async function lookedAt(read: () => Promise<unknown>): Promise<number> {
  await read(); // fills Postgres' catalogue cache, whose reads would be counted too
  const before = await lookedAtSoFar();
  await read();
  return (await lookedAtSoFar()) - before;
}

async function lookedAtSoFar(): Promise<number> {
  await one.query("select pg_stat_force_next_flush()"); // the session reports its counts before the next statement
  const { rows } = await one.query<{ rows: number }>(
    `select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relname in ('activities', 'activity_totals')`,
  );
  return rows[0]?.rows ?? 0;
}

test.each([
  ["a whole month", month],
  ["a month that begins and ends within a half hour", cut],
])("the totals of %s read about as many rows among many months as among few", async (_, range) => {
  const sums = await Promise.all(["small", "large"].map((organisationId) => readActivityTotals(organisationId, range, one)));
  expect(sums[1]).toEqual(sums[0]);
  expect(sumOfTotals(sums[0] ?? []).rows).toBeGreaterThan(900);
  const small = await lookedAt(() => readActivityTotals("small", range, one));
  const large = await lookedAt(() => readActivityTotals("large", range, one));
  expect(small).toBeGreaterThan(500);
  expect(large).toBeLessThanOrEqual(small * 1.5);
});

test.each([
  ["of a month", month],
  ["of a customer", { customerId: "CUST-2" }],
  ["of a customer, a warehouse and a charge code in a month", { ...month, customerId: "CUST-1", warehouseCode: "W1", chargeCode: "C1" }],
  ["of a charge code", { chargeCode: "C2" }],
])("the first page and a later one of the rows %s read fewer than 400 rows", async (_, filter) => {
  const page = { limit: 40, cursor: undefined as string | undefined, secret };
  const read = () => listActivities("large", filter, page, one);
  const first = await read();
  expect(first.items).toHaveLength(40);
  expect(await lookedAt(read)).toBeLessThan(400);
  page.cursor = (await listActivities("large", filter, { ...page, limit: 70 }, one)).nextCursor ?? "";
  expect((await read()).items.length).toBeGreaterThan(10);
  expect(await lookedAt(read)).toBeLessThan(400);
});

test.each([
  ["of a month", month],
  ["of a month that begins and ends within a half hour", cut],
  ["of a customer in a month", { ...month, customerId: "CUST-2" }],
])("a file of the rows %s reads about as many rows among many months as among few", async (_, filter) => {
  const counts: number[] = [];
  const readAll = async (organisationId: string) => {
    let count = 0;
    for await (const lines of allActivities(organisationId, filter, one)) count += lines.toString().split("\n").length - 1;
    counts.push(count);
  };
  const small = await lookedAt(() => readAll("small"));
  const large = await lookedAt(() => readAll("large"));
  expect(counts[0]).toBeGreaterThan(200);
  expect(new Set(counts).size).toBe(1);
  expect(large).toBeLessThanOrEqual(small * 1.5);
});
