import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unusualLimits as limits } from "../../src/domain/imports/unusual.js";
import { contentBlockBits } from "../../src/projections/tables/activities.js";
import { usualFiguresFromLedger } from "../../src/queries/lookUps/usualFiguresFromLedger.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const integers = (...numbers: number[]) => Buffer.from(Int32Array.from(numbers).buffer);
const secondBlock = 1 << contentBlockBits;

async function record(position: number, status: string): Promise<string> {
  const importId = randomUUID();
  await database.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, revision)
     values ($1, $2, 'acme', 'activities', 'file', '', $3, 100, 3, 3, 0, 'k', 'x.csv', 1, '', 'cli:test', '[]', now(), 1)`,
    [importId, position, status],
  );
  await database.pool.query(
    `insert into activity_contents (organisation_id, day, import_position, block, lows, rest)
     values ('acme', 20000, $1, 1, $2, $3), ('acme', 20000, $1, 0, $4, $5), ('acme', 20001, $1, 0, $6, $7)`,
    [position, integers(30), integers(31, secondBlock + 7), integers(10, -20), integers(11, 2, 21, 3), integers(40), integers(41, 4)],
  );
  return importId;
}

test("the hashes of days come by import and block, with the rows of a block and those of them that do not count", async () => {
  const { pool } = database;
  const [first, second] = [await record(5, "completed"), await record(9, "completed")];
  await record(7, "processing");
  await record(8, "completed");
  await pool.query("insert into uncounted_imports (import_position, reversed_position) values (8, 20)");
  await pool.query(`insert into uncounted_activities (import_position, "row") values (9, 3), (9, $1), (5, 2)`, [secondBlock + 7]);
  const figures = usualFiguresFromLedger("acme", { at: new Date(), limits }, pool);
  const found = await figures.hashes([20_000]);
  expect(found).toEqual([
    { day: 20_000, position: "5", block: 0, lows: integers(10, -20) },
    { day: 20_000, position: "5", block: 1, lows: integers(30) },
    { day: 20_000, position: "9", block: 0, lows: integers(10, -20) },
    { day: 20_000, position: "9", block: 1, lows: integers(30) },
  ]);
  expect(await usualFiguresFromLedger("other", { at: new Date(), limits }, pool).hashes([20_000])).toEqual([]);
  expect(await figures.hashedRows([found[3], found[0], found[2]].flatMap((each) => each ?? []))).toEqual([
    { position: "9", importId: second, rest: Int32Array.of(31, secondBlock + 7), uncounted: [secondBlock + 7] },
    { position: "5", importId: first, rest: Int32Array.of(11, 2, 21, 3), uncounted: [2] },
    { position: "9", importId: second, rest: Int32Array.of(11, 2, 21, 3), uncounted: [3] },
  ]);
});
