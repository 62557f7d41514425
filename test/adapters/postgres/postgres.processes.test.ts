import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { asDatabaseError, isDatabaseUnavailable } from "../../../src/adapters/postgres/errors.js";
import { expectSupportedServer, migrate } from "../../../src/adapters/postgres/migrate.js";
import { createPool, transaction } from "../../../src/adapters/postgres/pool.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { runScript } from "../../support/processes.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** A pool for one test, ended when the test ends. */
function openPool(options: Parameters<typeof createPool>[0]): ReturnType<typeof createPool> {
  const pool = createPool(options);
  onTestFinished(() => pool.end());
  return pool;
}

test("a transaction that throws leaves nothing behind", async () => {
  await database.pool.query("create table notes (text text)");
  const failed = transaction(database.pool, async (client) => {
    await client.query("insert into notes values ('lost')");
    throw new Error("changed my mind");
  });
  await expect(failed).rejects.toThrow("changed my mind");
  await transaction(database.pool, (client) => client.query("insert into notes values ('kept')"));
  expect((await database.pool.query("select text from notes")).rows).toEqual([{ text: "kept" }]);
});

test("a statement that asks for it is prepared once for each connection, whether it comes as text or with its values; others are not", async () => {
  const pool = openPool({ url: database.url, applicationName: "test", max: 1 });
  for (const value of [1, 2]) {
    expect((await pool.query("/* prepared */ select $1::int as value", [value])).rows).toEqual([{ value }]);
    expect((await pool.query({ text: "/* prepared */ select $1::int + 1 as value", values: [value] })).rows).toEqual([
      { value: value + 1 },
    ]);
    expect((await pool.query("select $1::int + 2 as value", [value])).rows).toEqual([{ value: value + 2 }]);
  }
  const { rows } = await pool.query("select statement from pg_prepared_statements order by statement");
  expect(rows.map(({ statement }) => statement)).toEqual([
    "/* prepared */ select $1::int + 1 as value",
    "/* prepared */ select $1::int as value",
  ]);
});

test("an address where no server listens is an outage, a wrong statement is not", async () => {
  const nowhere = openPool({ url: "postgres://a:b@127.0.0.1:1/c", applicationName: "test" });
  await expect(nowhere.query("select 1")).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(nowhere.connect()).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(transaction(nowhere, async () => undefined)).rejects.toBeInstanceOf(StoreUnavailable);
  const mistake = await database.pool.query("select 1 / 0").catch((error: unknown) => error);
  expect(mistake).not.toBeInstanceOf(StoreUnavailable);
  expect(isDatabaseUnavailable(mistake)).toBe(false);
});

test("a server that ends the connection is an outage, and the pool goes on afterwards", async () => {
  const pool = openPool({ url: database.url, applicationName: "victim" });
  const cut = transaction(pool, async (client) => {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    await database.pool.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await client.query("select 1");
  });
  await expect(cut).rejects.toBeInstanceOf(StoreUnavailable);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a statement that runs too long is an outage", async () => {
  const pool = openPool({ url: database.url, applicationName: "slow", statementTimeoutMs: 50 });
  await expect(pool.query("select pg_sleep(5)")).rejects.toBeInstanceOf(StoreUnavailable);
});

test("an error keeps its own type when it is no outage", () => {
  const bug = new TypeError("x is not a function");
  expect(asDatabaseError(bug)).toBe(bug);
});

const migrateScript = `
  import { migrate } from "./dist/adapters/postgres/migrate.js";
  import { createPool } from "./dist/adapters/postgres/pool.js";
  const pool = createPool({ url: process.argv[1], applicationName: "test" });
  await migrate(pool);
  await pool.end();
`;

test("four processes that start at once migrate once", async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    await Promise.all([1, 2, 3, 4].map(() => runScript(migrateScript, [empty.url])));
    const { rows } = await empty.pool.query("select hash, count(*)::int as times from drizzle.__drizzle_migrations group by hash");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ times }) => times === 1)).toBe(true);
    await migrate(empty.pool); // migrating again changes nothing
    expect((await empty.pool.query("select from imports")).rowCount).toBe(0);
  } finally {
    await empty.close();
  }
});

test("sessions have the settings that the code relies on, whatever the database's own settings are", async () => {
  const other = await createTestDatabase();
  onTestFinished(other.close);
  const name = new URL(other.url).pathname.slice(1);
  for (const setting of ["datestyle = 'SQL, DMY'", "timezone = 'Australia/Lord_Howe'", "standard_conforming_strings = off"])
    await other.pool.query(`alter database ${name} set ${setting}`);
  const pool = openPool({ url: other.url, applicationName: "test" });
  const { rows } = await pool.query("select now() as now, now()::text as text, $1::timestamptz as given, 'a\\\\b' as literal", [
    "2026-10-06T01:02:03Z",
  ]);
  expect(rows[0].now).toBeInstanceOf(Date);
  expect(rows[0].text).toMatch(/^\d{4}-\d\d-\d\d .*\+00$/);
  expect(rows[0].given).toEqual(new Date("2026-10-06T01:02:03Z"));
  expect(rows[0].literal).toBe(String.raw`a\\b`);
});

test("a time reaches Postgres unchanged, also from a machine whose time zone once had an offset with seconds", async () => {
  const script = `
    import { createPool } from "./dist/adapters/postgres/pool.js";
    const pool = createPool({ url: process.argv[1], applicationName: "test" });
    const times = ["1900-01-01T00:00:00.001Z", "1919-03-31T02:00:00Z", "2026-03-08T05:31:00Z", "9999-12-31T23:59:59.999Z"];
    const same = "select $1::timestamptz = $2::timestamptz as same, $2::timestamptz as back";
    for (const time of times) {
      const { same: isSame, back } = (await pool.query(same, [new Date(time), time])).rows[0];
      if (!isSame || back.getTime() !== Date.parse(time)) process.stdout.write(time + " is " + back.toISOString() + "; ");
    }
    await pool.end();`;
  for (const TZ of ["America/St_Johns", "Europe/Amsterdam"]) expect(await runScript(script, [database.url], { TZ })).toBe("");
});

test("a migration leaves no lock and no changed setting on the pool's connection", async () => {
  const pool = openPool({ url: database.url, applicationName: "once", max: 1, statementTimeoutMs: 12_345 });
  await migrate(pool);
  expect((await pool.query("show statement_timeout")).rows).toEqual([{ statement_timeout: "12345ms" }]);
  expect((await pool.query("select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()")).rowCount).toBe(0);
});

test.each([
  ["a wrong password", { password: "wrong" }, "Check the user, the password and the database in DATABASE_URL."],
  ["a database that is not there", { pathname: "/nowhere" }, "Check the user, the password and the database in DATABASE_URL."],
  ["TLS where the server has none", { search: "?sslmode=verify-full" }, "Switch TLS on in it, or take sslmode out of DATABASE_URL."],
])("%s is reported as a misconfigured database with what to check, not as an outage", async (_, change, hint) => {
  const url = Object.assign(new URL(database.url), change);
  const pool = openPool({ url: url.href, applicationName: "test" });
  const error = await migrate(pool).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ name: "StoreUnavailable", store: "database", fault: "misconfigured" });
  expect((error as Error).message).toMatch(/^The database cannot be used: /);
  expect((error as Error).message).toContain(hint);
});

test.each([
  ["14.11 (Debian 14.11-1)", false],
  ["9.6.24", false],
  ["15.0", true],
  ["18beta1", true],
])(
  "a server of version %s is migrated: %s; one that is too old gets one line that says what is needed, and no statement",
  async (version, supported) => {
    const asked: string[] = [];
    const query = (statement: string) => {
      asked.push(statement);
      return Promise.resolve({ rows: [{ server_version: version }] });
    };
    const refused = await expectSupportedServer({ query } as never).catch((error: unknown) => error);
    expect(asked).toEqual(["show server_version"]);
    if (supported) expect(refused).toBeUndefined();
    else {
      expect(refused).toMatchObject({ name: "StoreUnavailable", store: "database", fault: "misconfigured" });
      expect((refused as Error).message).toBe(
        `The database cannot be used: its server is Postgres ${version}. Waybill needs Postgres 15 or later.`,
      );
    }
  },
);

test("a server that is too old is left as it is", async () => {
  const empty = await createTestDatabase({ empty: true });
  onTestFinished(empty.close);
  const client = await empty.one.connect();
  const old = Object.assign(Object.create(client) as typeof client, {
    query: (...args: unknown[]) =>
      args[0] === "show server_version"
        ? Promise.resolve({ rows: [{ server_version: "14.11" }] })
        : (client.query as (...all: unknown[]) => unknown).call(client, ...args),
  });
  await expect(migrate({ connect: async () => old } as never)).rejects.toThrow("Waybill needs Postgres 15 or later");
  expect((await empty.pool.query("select from pg_namespace where nspname = 'drizzle'")).rowCount).toBe(0);
});

test("a certificate that is not trusted is reported as a misconfigured database with what to check", async () => {
  const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
  // Postgres begins TLS so: the client asks, and the server agrees with the letter S.
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", () => {
        socket.write("S");
        const secure = new TLSSocket(socket, { isServer: true, key: pem("key"), cert: pem("certificate") });
        secure.on("error", () => undefined);
      });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pool = openPool({ url: `postgres://a:b@127.0.0.1:${port}/c?sslmode=verify-full`, applicationName: "test" });
  await expect(pool.query("select 1")).rejects.toMatchObject({
    store: "database",
    fault: "misconfigured",
    message: expect.stringMatching(
      /^The database cannot be used: .*certificate.*\. Check sslmode and sslrootcert in DATABASE_URL, and NODE_EXTRA_CA_CERTS\.$/,
    ),
  });
});

test("migrating a migrated database raises no warning", async () => {
  const notices: string[] = [];
  const pool = openPool({ url: database.url, applicationName: "migrating" });
  pool.on("connect", (client) => client.on("notice", ({ severity, message }) => severity === "WARNING" && notices.push(message ?? "")));
  await migrate(pool);
  expect(notices).toEqual([]);
});
