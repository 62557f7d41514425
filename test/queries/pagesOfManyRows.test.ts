// A page reads about as many rows as it has, however many the tables have. Postgres counts the rows; no time is measured.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listActivities } from "../../src/queries/activities/activityRows.js";
import { listRejectedRows } from "../../src/queries/rejectedRows/listRejectedRows.js";
import { countOpenRows, type OpenRowCount } from "../../src/queries/rejectedRows/openRows.js";
import type { PageRequest } from "../../src/queries/rowPage.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows, rowsLookedAt } from "../support/stores/rowsLookedAt.js";

const imports = 60;
const rowsEach = 1_000;
const page: PageRequest = { limit: 100, cursor: undefined, secret: "secret" };
const importId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

let database: TestDatabase;
let one: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = database.one;
  await database.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, revision)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n, 'acme', 'activities', 'file', 'x', 'completed', 100, $2::int, 0, $2::int,
       'k', 'x.csv', 1, '', 'wb_live_x', '[]', now(), 1
     from generate_series(1, $1::int) as n`,
    [imports, rowsEach],
  );
  const rows = "from generate_series(1, $1::int) as n, generate_series(2, $2::int + 1) as r";
  await database.pool.query(
    `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp)
     select n, r, 'SYD', 'PICK', 1, '2026-03-01T00:00:00Z' ${rows}`,
    [imports, rowsEach],
  );
  await database.pool.query(`insert into rejections (import_position, "row", error, data) select n, r, 'no', '{}' ${rows}`, [
    imports,
    rowsEach,
  ]);
  await clearDeadRows(database.pool);
});
afterAll(async () => {
  await database?.close();
});

/** At least the 100 rows of the page, which shows that rows are counted at all, and fewer than 1,000. */
const aboutAPage = (rows: number) => rows >= 100 && rows < 1_000;

const lookedAt = (table: string, read: () => Promise<unknown>) => rowsLookedAt(one, table, read);

test("the activities of the last import, and a page in the middle of all activities, read about a page", async () => {
  const last = () => listActivities("acme", { importId: importId(imports) }, page, one);
  expect((await last()).items).toHaveLength(100);
  expect(await lookedAt("activities", last)).toSatisfy(aboutAPage);
  const all = await listActivities("acme", {}, { ...page, limit: 500 }, one);
  const second = { ...page, cursor: all.nextCursor ?? undefined };
  expect((await listActivities("acme", {}, second, one)).items[0]).toMatchObject({ importId: importId(1), row: 502 });
  expect(await lookedAt("activities", () => listActivities("acme", {}, second, one))).toSatisfy(aboutAPage);
});

test("pages go from one import to the next without a gap", async () => {
  let cursor: string | undefined;
  const seen: string[] = [];
  do {
    const { items, nextCursor } = await listActivities("acme", {}, { ...page, limit: 499, cursor }, one);
    seen.push(...items.map(({ importId: id, row }) => `${id} ${row}`));
    cursor = nextCursor ?? undefined;
  } while (cursor && seen.length < 3_000);
  const expected = Array.from({ length: seen.length }, (_, n) => `${importId(Math.floor(n / rowsEach) + 1)} ${(n % rowsEach) + 2}`);
  expect(seen).toEqual(expected);
});

test("a page of rejected rows in the middle of the last import reads about a page", async () => {
  const name = { kind: "activities", importId: importId(imports) } as const;
  const first = await listRejectedRows("acme", name, { ...page, limit: 500 }, one);
  const deep = { ...page, cursor: first.nextCursor ?? undefined };
  expect((await listRejectedRows("acme", name, deep, one)).items[0]).toMatchObject({ row: 502 });
  expect(await lookedAt("rejections", () => listRejectedRows("acme", name, deep, one))).toSatisfy(aboutAPage);
});

test("a page of open rows reads a thousand rows at most, also where nearly all rows are corrected", async () => {
  const name = { kind: "activities", importId: importId(imports), state: "open" } as const;
  await one.query(
    `insert into row_corrections (import_id, "row", correction_id, correction_row, state)
     select $1, r, gen_random_uuid(), 1, 'corrected' from generate_series(2, $2::int - 1) as r`,
    [name.importId, rowsEach],
  );
  await one.query(
    `insert into rejections (import_position, "row", error, data) select $1, r, 'no', '{}' from generate_series(2000, 21999) as r`,
    [imports],
  );
  await one.query("analyze");
  const first = await listRejectedRows("acme", name, page, one);
  expect(first.items.map(({ row }) => row)).toEqual([rowsEach, rowsEach + 1]);
  expect(await lookedAt("rejections", () => listRejectedRows("acme", name, page, one))).toBeLessThan(1_100);
  const second = await listRejectedRows("acme", name, { ...page, cursor: first.nextCursor ?? undefined }, one);
  expect(second.items.map(({ row }) => row)).toEqual(Array.from({ length: 100 }, (_, n) => 2_000 + n));
  expect(second.items[0]?.state).toBe("open");
  const all = await listRejectedRows("acme", { ...name, state: undefined }, { ...page, limit: 1 }, one);
  expect(all.items).toMatchObject([{ row: 2, state: "corrected" }]);
});

describe("rejected rows of earlier versions, whose names, values and reasons were not bounded,", () => {
  const heavy = { kind: "activities", importId: importId(1) } as const;
  const mebibyte = 1024 * 1024;
  beforeAll(async () => {
    await database.pool.query(
      `update rejections set data = json_build_object(repeat('k', 900 * 1024), 'v'), error = repeat('e', 10000) where import_position = 1 and "row" <= 31`,
    );
    await database.pool.query(
      `update rejections set data = json_build_object('k', repeat('v', $1)) where import_position = 1 and "row" = 40`,
      [5 * mebibyte],
    );
  });

  test("come in pages of at most 4 MiB, each row once and in order", async () => {
    const seen: number[] = [];
    const sizes: { bytes: number; rows: number }[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await listRejectedRows("acme", heavy, { ...page, limit: 500, cursor }, one);
      seen.push(...items.map(({ row }) => row));
      sizes.push({ bytes: Buffer.byteLength(JSON.stringify(items)), rows: items.length });
      cursor = nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(Array.from({ length: rowsEach }, (_, n) => n + 2));
    // A single row may be larger than a page. Other pages have 4 MiB at most, and a little more as JSON.
    for (const { bytes, rows } of sizes) expect(rows === 1 || bytes < 4.1 * mebibyte).toBe(true);
    expect(sizes.slice(0, 7).map(({ rows }) => rows)).toEqual([4, 4, 4, 4, 4, 4, 4]);
    expect(sizes.some(({ bytes, rows }) => rows === 1 && bytes > 5 * mebibyte)).toBe(true);
  });
});

test.each([
  [-1, 2],
  [0, 2],
  [1, 1],
])("a page of 4 MiB and %i bytes has %i rows", async (more, rows) => {
  const name = { kind: "activities", importId: importId(2) } as const;
  const quotes = 2;
  await database.pool.query(
    `update rejections set error = '', data = to_json(repeat('v', case "row" when 2 then 1000000 else $1::int - 1000000 end - ${quotes}))
      where import_position = 2 and "row" in (2, 3)`,
    [4 * 1024 * 1024 + more],
  );
  const { items, nextCursor } = await listRejectedRows("acme", name, { ...page, limit: 2 }, one);
  expect(items).toHaveLength(rows);
  expect(nextCursor).not.toBeNull();
});

test("the overview reads about 5,000 rejected rows of shipments at most, and none of activities, which are counted already", async () => {
  await database.pool.query(
    `insert into rejection_groups select import_id, md5('no'), organisation_id, kind, position, 'no', $1::int, $1::int, 0, 0 from imports`,
    [rowsEach],
  );
  const read = (activities: number, shipments: OpenRowCount) => async () =>
    expect(await countOpenRows("acme", undefined, one)).toEqual({ activities: { rows: activities, atLeast: false }, shipments });
  expect(await lookedAt("rejections", read(imports * rowsEach, { rows: 0, atLeast: false }))).toBe(0);
  for (const table of ["imports", "rejection_groups"])
    await database.pool.query(`update ${table} set kind = 'shipments' where import_id >= $1`, [importId(imports - 5)]);
  const activities = (imports - 6) * rowsEach;
  const corrected = rowsEach - 2; // a test above has corrected these rows of the newest import
  const looked = await lookedAt("rejections", read(activities, { rows: 5_001 - corrected, atLeast: true }));
  expect(looked).toBeGreaterThanOrEqual(5_000);
  expect(looked).toBeLessThan(7_000);
  await database.pool.query("update rejection_groups set open = 0 where import_id = $1", [importId(imports)]);
  await read(activities, { rows: 5_000, atLeast: false })();
  const none = { rows: 0, atLeast: false };
  expect(await countOpenRows("another", undefined, one)).toEqual({ activities: none, shipments: none });
});
