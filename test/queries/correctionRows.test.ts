// Rejected rows of all imports, by reason and import and page by page. A page's cost does not grow with the number of rows.
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listCorrectionRows, type RowFilter } from "../../src/queries/rejectedRows/correctionRows.js";
import { countRejectedRows, groupRejections } from "../../src/queries/rejectedRows/rejectionGroups.js";
import { rejectedRowOutcomes } from "../../src/queries/rejectedRows/rowOutcomes.js";
import type { PageRequest } from "../../src/queries/rowPage.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";
import { clearDeadRows, rowsLookedAt } from "../support/stores/rowsLookedAt.js";

const page: PageRequest = { limit: 100, cursor: undefined, secret: "secret" };
const importId = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

let database: TestDatabase;
let one: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  one = database.one;
});
afterAll(async () => {
  await database?.close();
});

interface Rejected {
  readonly row: number;
  readonly handle?: string;
  readonly error?: string;
}

/** Writes a completed import with rejected rows to the tables, as the projector would. */
async function addImport(n: number, { organisation = "acme", kind = "activities" }, rejected: readonly Rejected[]): Promise<void> {
  await one.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     values ($1, $2, $3, $4, 'file', 'an import', 'completed', 100, $5, 0, $5, 'k', 'x.csv', 1, '', 'key:wb_live_x', '[]', now(), now(), 1)`,
    [importId(n), n, organisation, kind, rejected.length],
  );
  await one.query(
    `insert into rejections (import_position, "row", handle, error, data)
     select $1, "row", handle, coalesce(error, 'Customer not found'), json_build_object('customerId', 'C-' || "row")
       from jsonb_to_recordset($2) as r ("row" integer, handle text, error text)`,
    [n, JSON.stringify(rejected)],
  );
  await one.query(
    `insert into rejection_groups (import_id, reason_key, organisation_id, kind, import_position, reason, rows, open, submitted, dismissed)
     select $1, md5(reason), $3, $4, $2, reason, count(*), count(*), 0, 0 from
       (select regexp_replace(error, '^Rejected with its shipment: ', '') as reason from rejections where import_position = $2) as r group by reason`,
    [importId(n), n, organisation, kind],
  );
}

const many = (from: number, count: number): Rejected[] => Array.from({ length: count }, (_, index) => ({ row: from + index }));

async function allRows(organisation: string, filter: RowFilter, limit = 100) {
  const rows: string[] = [];
  let [cursor, pages]: [string | undefined, number] = [undefined, 0];
  do {
    const { items, nextCursor } = await listCorrectionRows(organisation, filter, { ...page, limit, cursor }, one);
    rows.push(...items.map((item) => `${Number(item.importId.slice(-6))}:${item.row}`));
    cursor = nextCursor ?? undefined;
    pages += 1;
  } while (cursor && pages < 100);
  return { rows, pages };
}

test("rows of all imports come once each, the latest import first, across pages of any size", async () => {
  await addImport(1, { organisation: "pages" }, many(2, 7));
  await addImport(2, { organisation: "pages" }, many(2, 5));
  await addImport(3, { organisation: "another" }, many(2, 5));
  const expected = [...many(2, 5).map(({ row }) => `2:${row}`), ...many(2, 7).map(({ row }) => `1:${row}`)];
  for (const limit of [1, 4, 5, 6, 100]) {
    expect((await allRows("pages", { kind: "activities", state: "open" }, limit)).rows).toEqual(expected);
  }
  expect((await allRows("pages", { kind: "activities", state: "open", importId: importId(1) })).rows).toHaveLength(7);
  expect((await allRows("pages", { kind: "activities", state: "open", importId: importId(3) })).rows).toEqual([]);
  expect((await allRows("pages", { kind: "shipments", state: "open" })).rows).toEqual([]);
});

test("the lines of a shipment are listed together, also when only one of them has the filtered reason", async () => {
  const [first, second] = ["Origin Zone(s) not found", "Customer not found"];
  await addImport(10, { organisation: "lines", kind: "shipments" }, [
    { row: 2, handle: "A", error: first },
    { row: 3, handle: "B", error: second },
    { row: 4, handle: "A", error: `Rejected with its shipment: ${first}` },
    { row: 5, handle: "", error: second },
    { row: 6, handle: "", error: second },
    { row: 7, handle: "A", error: second },
  ]);
  const everything = ["10:2", "10:4", "10:7", "10:3", "10:5", "10:6"];
  for (const limit of [1, 2, 100]) expect((await allRows("lines", { kind: "shipments", state: "open" }, limit)).rows).toEqual(everything);
  const found = await groupRejections("lines", { kind: "shipments", state: "open" }, 100, one);
  const groups = new Map(found.groups.map((group) => [group.reason, group]));
  expect([groups.get(first)?.rows, groups.get(second)?.rows]).toEqual([2, 4]);
  const ofReason = (reason: string) => allRows("lines", { kind: "shipments", state: "open", reasonKey: groups.get(reason)?.reasonKey });
  expect((await ofReason(first)).rows).toEqual(["10:2", "10:4", "10:7"]);
  expect((await ofReason(second)).rows).toEqual(["10:3", "10:5", "10:6", "10:2", "10:4", "10:7"]);
});

test("rows that are submitted, dismissed or superseded are not open, and the name of who did it is given", async () => {
  await addImport(20, { organisation: "held", kind: "shipments" }, [
    { row: 2, handle: "A" },
    { row: 3, handle: "B" },
    { row: 4, handle: "C" },
    { row: 5, handle: "D" },
  ]);
  await addImport(21, { organisation: "held", kind: "shipments" }, []);
  await one.query(`insert into row_corrections (import_id, "row", correction_id, correction_row, state) values ($1, 2, $2, 1, 'claimed')`, [
    importId(20),
    importId(21),
  ]);
  await one.query(`insert into finished_rows values ($1, 3, 'dismissed', null, 'a test order', 'member:m')`, [importId(20)]);
  await one.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     values ('held', 'C', '{}', '[]', 'x', $1, now(), 21)`,
    [importId(21)],
  );
  await one.query(
    `insert into api_keys (key_id, organisation_id, prefix, sha256, name, created_at) values ('k', 'held', 'wb_live_x', 'x', 'Nightly', now())`,
  );
  await one.query("update rejection_groups set open = 2, submitted = 1, dismissed = 1 where import_id = $1", [importId(20)]);
  const held = await rejectedRowOutcomes(
    "held",
    [2, 3, 4, 5, 99].map((row) => ({ importId: importId(20), row })),
    one,
  );
  expect(held.toSorted((a, b) => a.row - b.row)).toEqual([
    {
      importId: importId(20),
      row: 2,
      state: "submitted",
      otherId: importId(21),
      otherName: "an import",
      by: "key Nightly (wb_live_x...)",
      note: null,
    },
    { importId: importId(20), row: 3, state: "dismissed", otherId: null, otherName: null, by: "a removed member", note: "a test order" },
    {
      importId: importId(20),
      row: 4,
      state: "superseded",
      otherId: importId(21),
      otherName: "an import",
      by: "key Nightly (wb_live_x...)",
      note: null,
    },
    { importId: importId(20), row: 5, state: "open", otherId: null, otherName: null, by: null, note: null },
  ]);
  expect(await rejectedRowOutcomes("another", [{ importId: importId(20), row: 2 }], one)).toEqual([]);
  expect((await allRows("held", { kind: "shipments", state: "open" })).rows).toEqual(["20:5"]);
  expect((await allRows("held", { kind: "shipments", state: "dismissed" })).rows).toEqual(["20:3"]);
  expect((await groupRejections("held", { kind: "shipments", state: "open" }, 100, one)).groups).toMatchObject([{ rows: 1 }]);
  const single = { rows: 1, atLeast: false };
  expect((await countRejectedRows("held", undefined, one)).shipments).toEqual({
    ...{ open: single, submitted: single, dismissed: single, corrected: { rows: 0, atLeast: false } },
  });

  // Only what was open is withdrawn with its import.
  await one.query("insert into withdrawn_imports values ($1)", [importId(20)]);
  await one.query(
    `insert into reversals (reversal_id, position, import_id, import_position, organisation_id, is_all, count, reason, reversed_by, at)
     values (gen_random_uuid(), 22, $1, 20, 'held', true, 0, 'twice', 'member:m', now())`,
    [importId(20)],
  );
  const after = await rejectedRowOutcomes(
    "held",
    [2, 3, 4, 5].map((row) => ({ importId: importId(20), row })),
    one,
  );
  expect(after.map(({ state, by }) => [state, by]).sort()).toEqual([
    ["dismissed", "a removed member"],
    ["submitted", "key Nightly (wb_live_x...)"],
    ["superseded", "key Nightly (wb_live_x...)"],
    ["withdrawn", "a removed member"],
  ]);
});

test("a row whose values are too large to be sent comes without them, and a page of large rows ends early", async () => {
  await addImport(30, { organisation: "large" }, many(2, 40));
  await one.query(
    `update rejections set data = json_build_object('status', repeat('v', case "row" when 2 then 200000 else 100000 end)) where import_position = 30`,
  );
  const first = await listCorrectionRows("large", { kind: "activities", state: "open" }, page, one);
  expect(first.items[0]?.values).toBeNull();
  expect(Buffer.byteLength(JSON.stringify(first.items))).toBeLessThan(2.2 * 1024 * 1024);
  const { rows, pages } = await allRows("large", { kind: "activities", state: "open" });
  expect([rows.length, pages]).toEqual([40, 2]);
});

const imports = 40;

test("the rows that Postgres reads for a page do not grow with the number of imports, rows and finished rows", async () => {
  for (let n = 100; n < 100 + imports; n += 1) await addImport(n, { organisation: "many" }, many(2, 500));
  await addImport(
    200,
    { organisation: "many", kind: "shipments" },
    many(2, 30_000).map((each) => ({ ...each, handle: `S-${each.row % 9_000}` })),
  );
  // All rows of activity imports but the first are finished, and so are thousands of further groups.
  await one.query("update rejection_groups set open = 0 where organisation_id = 'many' and import_position between 101 and 199");
  await one.query(
    `insert into rejection_groups select gen_random_uuid(), 'x', 'many', 'activities', 1000 + n, 'no', 1, 0, 0, 0 from generate_series(1, 5000) as n`,
  );
  await clearDeadRows(one);
  const oldest = () => listCorrectionRows("many", { kind: "activities", state: "open" }, page, one);
  expect((await oldest()).items.map(({ row }) => row)).toEqual(many(2, 100).map(({ row }) => row));
  expect(await rowsLookedAt(one, "rejections", oldest)).toBeLessThan(2_000);
  expect(await rowsLookedAt(one, "rejection_groups", oldest)).toBeLessThan(10);
  const first = await listCorrectionRows("many", { kind: "shipments", state: "open" }, { ...page, limit: 50 }, one);
  expect(first.items).toHaveLength(200);
  const deep = () =>
    listCorrectionRows("many", { kind: "shipments", state: "open" }, { ...page, limit: 50, cursor: first.nextCursor ?? undefined }, one);
  expect((await deep()).items.length).toBeGreaterThan(100);
  expect(await rowsLookedAt(one, "rejections", deep)).toBeLessThan(10_000);
  const groups = () => groupRejections("many", { kind: "activities", state: "open" }, 100, one);
  expect((await groups()).groups).toMatchObject([{ importId: importId(100), rows: 500 }]);
  expect(await rowsLookedAt(one, "rejection_groups", groups)).toBeLessThan(10);
  const large = () => groupRejections("many", { kind: "shipments", state: "open" }, 100, one);
  expect((await large()).groups).toMatchObject([{ rows: 30_000 }]);
  expect(await rowsLookedAt(one, "rejections", large)).toBeLessThan(6_000);
});

test("groups without an open row are left out, and of more groups than are asked for there are the first", async () => {
  const ids = Array.from({ length: 30 }, (_, index) => index);
  // Each import has two reasons; all rows of the first one are superseded, and of every third import also those of the second.
  for (const n of ids)
    await addImport(40 + n, { organisation: "gaps", kind: "shipments" }, [
      { row: 2, handle: `A-${n}`, error: "first" },
      { row: 3, handle: `B-${n}`, error: "second" },
    ]);
  const written = ids.flatMap((n) => [`A-${n}`, ...(n % 3 === 0 ? [`B-${n}`] : [])]);
  await one.query(
    `insert into shipments (organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position)
     select 'gaps', id, '{}', '[]', 'x', $1, now(), 99 from unnest($2::text[]) as id`,
    [importId(99), written],
  );
  const read = async (most: number) => {
    const { groups, more } = await groupRejections("gaps", { kind: "shipments", state: "open" }, most, one);
    return { more, groups: groups.map(({ importId: id, reason, rows }) => `${Number(id.slice(-6)) - 40} ${reason} ${rows}`) };
  };
  const expected = ids
    .filter((n) => n % 3 !== 0)
    .toReversed()
    .map((n) => `${n} second 1`);
  expect(await read(3)).toEqual({ more: true, groups: expected.slice(0, 3) });
  expect(await read(19)).toEqual({ more: true, groups: expected.slice(0, 19) });
  expect(await read(20)).toEqual({ more: false, groups: expected });
  expect((await countRejectedRows("gaps", undefined, one)).shipments.open).toEqual({ rows: 20, atLeast: false });
  expect((await countRejectedRows("gaps", importId(40), one)).shipments.open).toEqual({ rows: 0, atLeast: false });
});
