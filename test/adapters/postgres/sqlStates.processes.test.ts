import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrate, missingTables, tableNames } from "../../../src/adapters/postgres/migrate.js";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { lookUpSecretsFunction } from "../../../src/http/api/auth/lookUpKeys.js";
import { createShell, insertOrganisation } from "../../support/shell.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ key } = await insertOrganisation(database.pool));
});
afterAll(() => database.close());

const outages = {
  "08006": "connection failure",
  "25006": "a standby that only reads",
  "3D000": "the database is gone",
  "3F000": "the schema is gone",
  "40001": "serialization failure",
  "40P01": "deadlock",
  "42703": "a column is missing",
  "42883": "a function is missing",
  "42P01": "a table is missing",
  "53100": "disk full",
  "53200": "out of memory",
  "53300": "too many connections",
  "57014": "statement time-out",
  "57P01": "shutdown by an administrator",
  "57P03": "starting up",
  "58030": "I/O error",
};

/** Makes every look-up of a key fail with this error. */
async function failWith(code: string, message = "made by the test"): Promise<void> {
  await database.pool.query(
    `create or replace function look_up_secrets_json(hashes text[], counts integer[]) returns json
     language plpgsql as $$ begin raise exception '${message}' using errcode = '${code}'; end $$`,
  );
}

const request = () => createShell(database.pool).request("/v1/org/shipments/imports", { headers: { "x-api-key": key } });

test.each(Object.entries(outages))("SQLSTATE %s (%s) is an outage: 503 with Retry-After", async (code) => {
  await failWith(code);
  const answer = await request();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  const statement = "select look_up_secrets_json('{}', '{}')";
  const fault = { name: "StoreUnavailable", store: "database", fault: "outage" };
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  await expect(client.query(statement)).rejects.toMatchObject(fault);
  await expect(transaction(database.pool, (each) => each.query(statement))).rejects.toMatchObject(fault);
});

test("a table that is dropped while a statement uses it is an outage", async () => {
  await failWith("XX000", "could not open relation with OID 12345");
  expect((await request()).status).toBe(503);
});

test("a user without permissions is said to be an operator's matter, and a mistake of ours is a 500", async () => {
  await failWith("42501");
  expect((await request()).headers.get("retry-after")).toBe("300");
  await failWith("22012");
  expect((await request()).status).toBe(500);
});

test("dropped tables are created again, those that a log fills only beside an empty log", async () => {
  const { pool, close } = await createTestDatabase();
  onTestFinished(close);
  const names = ["imports", "api_keys"];
  const lost = () => missingTables(pool, tableNames());
  const withLog = (isEmpty: boolean) => migrate(pool, { names, logIsEmpty: async () => isEmpty });
  await pool.query("insert into checkpoints (projection, commit, prepare, updated_at) values ('kept', 1, 1, now())");
  await pool.query("drop table imports, api_keys, import_queue; drop function look_up_keys, look_up_secrets, look_up_secrets_json");
  await withLog(false);
  expect((await lost()).toSorted()).toEqual(names.toSorted());
  expect((await pool.query("select from import_queue")).rowCount).toBe(0);
  expect((await pool.query("select from checkpoints where projection = 'kept'")).rowCount).toBe(1);
  await withLog(true);
  expect(await lost()).toEqual([]);
  expect((await pool.query("select look_up_secrets_json('{}', '{}') -> 'keys' as keys")).rows).toEqual([{ keys: [] }]);
  expect((await pool.query("select from pg_namespace where nspname = 'waybill_restore'")).rowCount).toBe(0);
});

test("a function of the code takes the place of another text", async () => {
  const { pool, close } = await createTestDatabase();
  onTestFinished(close);
  const options = { names: [], logIsEmpty: async () => true, functions: [lookUpSecretsFunction] };
  const row = async () => (await pool.query("select prosrc, xmin from pg_proc where proname = 'look_up_secrets_json'")).rows[0];
  await pool.query(
    "create or replace function look_up_secrets_json(hashes text[], counts integer[]) returns json language sql as 'select null::json'",
  );
  await migrate(pool, options);
  const created = await row();
  expect(lookUpSecretsFunction).toContain(`$$${created.prosrc}$$`);
  await migrate(pool, options);
  expect(await row()).toEqual(created); // it is not created once more
});

test("tables that are being filled do not stop the migrations of a new version", async () => {
  const { pool, close } = await createTestDatabase();
  onTestFinished(close);
  const names = ["quotes", "quote_requests"];
  // As before the last two migrations, one of which changes a table that is missing.
  await pool.query("delete from drizzle.__drizzle_migrations where id > (select max(id) - 2 from drizzle.__drizzle_migrations)");
  await pool.query("drop schema public cascade; create schema public");
  await migrate(pool, { names, logIsEmpty: async () => false });
  expect((await missingTables(pool, tableNames())).toSorted()).toEqual(names.toSorted());
  await migrate(pool, { names, logIsEmpty: async () => false });
  const recorded = await pool.query<{ again: number }>("select count(*) - count(distinct hash) as again from drizzle.__drizzle_migrations");
  expect(Number(recorded.rows[0]?.again)).toBe(0);
});
