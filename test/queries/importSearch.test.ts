// A filtered page reads about as many rows as it has, however many imports there are. Postgres counts the rows; no time is measured.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ImportFilter, listImports, maxImportsRead } from "../../src/queries/imports/importList.js";
import type { ImportStatus } from "../../src/queries/imports/importView.js";
import { importsWithFile } from "../../src/queries/lookUps/sameFiles.js";
import { endedImports } from "../../src/queries/recentWork.js";
import { rejectionReasons } from "../../src/queries/rejectedRows/rejectionReasons.js";
import type { PageRequest } from "../../src/queries/rowPage.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows, rowsLookedAt } from "../support/stores/rowsLookedAt.js";

const imports = 16_000;
const page: PageRequest = { limit: 25, cursor: undefined, secret: "secret" };
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

let database: TestDatabase;
let one: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = database.one;
  // Only the oldest 100 imports are activities, only the oldest 200 have failed, and import 2 has a reference that no other has.
  await database.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n, case when n % 2 = 0 then 'acme' else 'other' end,
       case when n <= 100 then 'activities' else 'shipments' end, 'file',
       case n when 2 then 'The 100% First.csv' else 'nightly ' || n end, case when n <= 200 then 'failed' else 'completed' end, 100, 1, 1, 0,
       'k', 'x.csv', 1, '', 'cli:x', '[]', now(), timestamptz '2026-01-01T00:00:00Z' + make_interval(mins => n), 1
     from generate_series(1, $1::int) as n`,
    [imports],
  );
  await clearDeadRows(database.pool);
});
afterAll(async () => {
  await database?.close();
});

const search = (filter: ImportFilter, cursor?: string | null) =>
  listImports("acme", filter, { ...page, cursor: cursor ?? undefined }, { pool: one });

async function all(filter: ImportFilter, mostPages = 100): Promise<number[]> {
  const seen: number[] = [];
  let cursor: string | null | undefined;
  let pages = 0;
  do {
    const { items, nextCursor } = await search(filter, cursor);
    seen.push(...items.map(({ importId }) => Number(importId.slice(-12))));
    cursor = nextCursor;
    pages += 1;
  } while (cursor && pages < mostPages);
  return seen;
}

const even = (from: number, downTo: number) => Array.from({ length: (from - downTo) / 2 + 1 }, (_, n) => from - 2 * n);

describe.each<[string, ImportFilter, number[]]>([
  ["every import", {}, even(imports, imports - 298)],
  ["of a kind", { kind: "activities" }, even(100, 2)],
  ["of a status", { status: "failed" }, even(200, 2)],
  ["of a kind and a status", { kind: "shipments", status: "failed" }, even(200, 102)],
])("%s", (_, filter, expected) => {
  test("imports come newest first, page by page, each once and of one organisation", async () => {
    expect(await all(filter, 6)).toEqual(expected);
  });

  test("Postgres reads fewer than 200 imports for a page", async () => {
    expect(await rowsLookedAt(one, "imports", () => search(filter))).toBeLessThan(200);
  });
});

test("a reference is found by a part of it in any case, and % has no special meaning", async () => {
  expect((await search({ reference: `NIGHTLY ${imports}` })).items.map(({ importId }) => importId)).toEqual([idOf(imports)]);
  expect(await all({ reference: "100% fir" })).toEqual([2]);
  expect(await all({ reference: "%" })).toEqual([2]);
  expect(await all({ reference: "nightly", status: "failed", kind: "activities" })).toEqual(even(100, 4));
});

test("for a reference that only the oldest import has, a page reads a bounded number of imports and has a cursor for the rest", async () => {
  const first = await search({ reference: "the 100% first" });
  expect(first.items).toEqual([]);
  expect(first.nextCursor).not.toBeNull();
  // Half of all imports are another organisation's: Postgres may use the index by position and skip those.
  expect(await rowsLookedAt(one, "imports", () => search({ reference: "the 100% first" }))).toBeLessThan(2 * maxImportsRead + 200);
});

test("a cursor belongs to its filter", async () => {
  const { nextCursor } = await search({ status: "completed" });
  await expect(search({ status: "failed" }, nextCursor)).rejects.toThrow(/cursor is malformed/);
});

test("reasons are counted by fault, over the first rejected rows, or over all rows once the import has completed", async () => {
  await database.pool.query(
    `insert into rejections (import_position, "row", error, data)
     select 4, r, case when r % 10 = 0 then 'Rejected with its shipment: no place' when r % 2 = 0 then 'Customer not found; no quantity' else 'Customer not found' end, '{}'
       from generate_series(1, 12000) as r`,
  );
  const found = (organisationId: string, status: ImportStatus) => rejectionReasons(organisationId, { importId: idOf(4), status }, one);
  const expected = (counted: number) => ({
    reasons: [
      { reason: "Customer not found", rows: counted * 0.9 },
      { reason: "no quantity", rows: counted * 0.4 },
      { reason: "no place", rows: counted * 0.1 },
    ],
    ...{ others: 0, counted },
  });
  for (const status of ["processing", "completed"] as const)
    expect(await found("other", status)).toEqual({ reasons: [], others: 0, counted: 0 });
  expect(await found("acme", "processing")).toEqual(expected(10_000));
  expect(await found("acme", "cancelled")).toEqual(expected(10_000));
  expect(await found("acme", "completed")).toEqual(expected(10_000)); // the groups of its rows are not in the table yet
  await database.pool.query(
    `insert into rejection_groups select $1, md5(reason), 'acme', 'shipments', 4, reason, rows, rows, 0, 0
       from (values ('Customer not found; no quantity', 4800), ('Customer not found', 6000), ('no place', 1200)) as groups (reason, rows)`,
    [idOf(4)],
  );
  expect(await rowsLookedAt(one, "rejections", async () => expect(await found("acme", "completed")).toEqual(expected(12_000)))).toBe(0);
});

test("counting the imports that ended on two days reads about those imports only, among the newest and among older ones", async () => {
  const dayOf = (n: number) => new Date(Date.UTC(2026, 0, n));
  for (const first of [5, 10]) {
    const days = { starts: [dayOf(first), dayOf(first + 1)], end: dayOf(first + 2) };
    const looked = await rowsLookedAt(one, "imports", async () => {
      const { days: counted } = await endedImports("acme", days, one);
      expect(counted.map(({ accepted }) => accepted)).toEqual([720, 720]); // there is one import a minute, and every other one is the organisation's
    });
    expect(looked).toBeLessThan(1_600);
  }
});

test("of the imports with one file Postgres reads the last ones, however often it was pushed", async () => {
  const sought = { organisationId: "acme", kind: "shipments", sha256: "", since: new Date(0), importId: idOf(imports - 2) } as const;
  const find = async () => (await importsWithFile(sought, one)).map(({ importId }) => Number(importId.slice(-12)));
  expect(await rowsLookedAt(one, "imports", find)).toBeLessThan(200);
  expect((await find()).slice(0, 3)).toEqual([imports, imports - 4, imports - 6]);
});
