// What must hold behind a pooler that may run each transaction of a client on another server session.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openNotices } from "../../../src/adapters/postgres/notices.js";
import { createPool, transaction } from "../../../src/adapters/postgres/pool.js";
import { lookUpKeys } from "../../../src/http/api/auth/lookUpKeys.js";
import type { StoredEvent } from "../../../src/ports/eventStore.js";
import { channels } from "../../../src/ports/notices.js";
import { allProjections } from "../../../src/projections/allProjections.js";
import { applyBatch } from "../../../src/projections/running/applyBatch.js";
import { whileActive } from "../../../src/projections/running/locks.js";
import { activity, goodsLine, stored, tell } from "../../support/importStory.js";
import { runScript } from "../../support/processes.js";
import { poolerInstalled, startTestPooler, type TestPooler } from "../../support/stores/pooler.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

const locks = async ({ pool }: TestDatabase) =>
  (
    await pool.query(
      "select 1 from pg_locks l join pg_database d on d.oid = l.database where locktype = 'advisory' and datname = current_database()",
    )
  ).rowCount;

describe.skipIf(!poolerInstalled)("behind PgBouncer in transaction mode", () => {
  let database: TestDatabase;
  let pooler: TestPooler;
  /** A pool for one test, ended when the test ends. */
  const open = (url = pooler.url) => {
    const pool = createPool({ url, applicationName: "test" });
    onTestFinished(() => pool.end());
    return pool;
  };
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    pooler = await startTestPooler(database.url, "transaction");
  });
  afterAll(async () => {
    await pooler?.stop();
    await database?.close();
  });

  test("PgBouncer is asked where it listens, by whatever name the database is reached, so that the tests below find it", async () => {
    const named = new URL(database.url);
    named.hostname = "localhost";
    const other = await startTestPooler(named.href, "transaction");
    onTestFinished(other.stop);
    expect(new URL(other.url).hostname).toBe("127.0.0.1");
    expect((await open(other.url).query("select 1")).rowCount).toBe(1);
  });

  test("one client's transactions run on several server sessions, so that the tests below test something", async () => {
    const pool = open();
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    onTestFinished(() => {
      for (const client of clients) client.release();
    });
    for (const client of clients) await client.query("begin");
    for (const client of clients) await client.query("rollback");
    const pids = new Set<number>();
    for (let n = 0; n < 8; n += 1) {
      pids.add((await clients[0]?.query<{ pid: number }>("select pg_backend_pid() as pid"))?.rows[0]?.pid ?? 0);
    }
    expect(pids.size).toBeGreaterThan(1);
  });

  test("no statement is prepared, since the next one may run on a session that does not have it", async () => {
    const pools = Array.from({ length: 4 }, () => open());
    const statements = pools.flatMap((pool) => [
      () => pool.query("/* prepared */ select $1::int as value", [1]),
      () => pool.query({ name: "one", text: "select $1::int as value", values: [1] }),
    ]);
    for (let round = 0; round < 3; round += 1) {
      for (const { rows } of await Promise.all(statements.map((run) => run()))) expect(rows).toEqual([{ value: 1 }]);
    }
    expect((await database.pool.query("select from pg_prepared_statements")).rowCount).toBe(0);
  });

  test("processes that start together migrate once and leave no lock behind", async () => {
    const script = `
      import { migrate } from "./dist/adapters/postgres/migrate.js";
      import { createPool } from "./dist/adapters/postgres/pool.js";
      const pool = createPool({ url: process.argv[1], applicationName: "test" });
      await migrate(pool);
      await pool.end();`;
    await Promise.all([1, 2, 3].map(() => runScript(script, [pooler.url])));
    const { rows } = await database.pool.query(
      "select count(*)::int as all, count(distinct hash)::int as different from drizzle.__drizzle_migrations",
    );
    expect(rows[0].all).toBeGreaterThan(0);
    expect(rows[0].all).toBe(rows[0].different);
    expect(await locks(database)).toBe(0);
  });

  test("of two projectors one is active, and when it ends the other becomes active", async () => {
    const pools = [open(), open()];
    const busy = open(); // its transactions make the pooler give the projectors other sessions
    const active: number[] = [];
    const said: string[] = [];
    const logger = pino({ level: "info" }, { write: (line) => void said.push(line) });
    const ends = pools.map(() => new AbortController());
    const runs = pools.map((pool, n) =>
      whileActive({ pool, logger, signal: ends[n]?.signal as AbortSignal, lock: "projector" }, async (signal) => {
        active.push(n);
        await new Promise((settle) => signal.addEventListener("abort", settle, { once: true }));
        active.splice(active.indexOf(n), 1);
      }),
    );
    onTestFinished(async () => {
      for (const end of ends) end.abort();
      await Promise.all(runs);
    });
    const meanwhile = async () => {
      await Promise.all(Array.from({ length: 8 }, () => busy.query("select 1")));
      return active.length;
    };
    await expect.poll(meanwhile).toBe(1);
    await expect.poll(() => said.some((line) => line.includes("standing by"))).toBe(true);
    for (let n = 0; n < 10; n += 1) expect(await meanwhile()).toBe(1);
    const [first = 0] = active;
    ends[first]?.abort();
    await expect.poll(() => active).toEqual([1 - first]);
    ends[1 - first]?.abort();
    await Promise.all(runs);
    expect(await locks(database)).toBe(0);
  });

  test("batches are projected, though each may run on another session", async () => {
    const [pool, busy] = [open(), open()]; // the transactions of `busy` make the pooler give `pool` other sessions
    const context = { pool, projections: allProjections, knownImports: new Map(), logger: pino({ level: "silent" }) };
    const rows = Array.from({ length: 30 }, () => ({ accept: activity() }));
    const lines = Array.from({ length: 30 }, (_, n) => ({ accept: goodsLine(`S${n}`) }));
    const events = [...stored(tell({ kind: "activities", rows }), 1), ...stored(tell({ kind: "shipments", rows: lines }), 100)];
    for (let from = 0; from < events.length; from += 4) {
      const batch = events.slice(from, from + 4);
      const { position } = batch.at(-1) as StoredEvent;
      await Promise.all([applyBatch(context, { events: batch, position, caughtUp: true }), busy.query("select 1")]);
    }
    const { rows: imports } = await database.pool.query("select status, processed from imports");
    expect(imports).toEqual([1, 2].map(() => ({ status: "completed", processed: 30 })));
  });

  test("keys are looked up and each use is counted once, though each look-up may run on another session", async () => {
    await database.pool.query(
      `insert into organisations (id, name, timezone, catalogue_version, revision) values ('acme', 'Acme', 'UTC', 1, 0)`,
    );
    await database.pool.query(
      `insert into api_keys (key_id, organisation_id, name, prefix, sha256, created_at) values ('one', 'acme', 'n', 'p', 'hash', now())`,
    );
    const pools = [open(), open(), open()];
    const looks = pools.flatMap((pool) => Array.from({ length: 50 }, () => lookUpKeys(pool, new Map([["hash", 1]]))));
    const used = (await Promise.all(looks)).map((found) => found.get("hash")?.used ?? 0);
    expect(used.sort((one, other) => one - other)).toEqual(Array.from({ length: 150 }, (_, n) => n + 1));
  });

  test("each client's sessions have the settings that the code relies on", async () => {
    await database.pool.query(`alter database ${new URL(database.url).pathname.slice(1)} set datestyle = 'German'`);
    const pool = open();
    const shown = () => transaction(pool, async (client) => (await client.query("select now()::text as text")).rows[0].text);
    for (const text of await Promise.all(Array.from({ length: 10 }, shown))) expect(text).toMatch(/^\d{4}-\d\d-\d\d .*\+00$/);
  });

  test("the pooler is noticed, and no notice is waited for", async () => {
    const heard: unknown[] = [];
    let told = false;
    const onPooler = () => {
      told = true;
    };
    const { signal } = new AbortController();
    const notices = openNotices({ url: pooler.url, applicationName: "test", channels: [channels.importQueued], onPooler, signal });
    notices.on(channels.importQueued, (text) => heard.push(text));
    await notices.closed;
    expect({ told, heard, arrive: notices.areArriving() }).toEqual({ told: true, heard: [], arrive: false });
  });

  test("the error for a pooler that refuses the connection's time limits says what to set in PgBouncer", async () => {
    const strict = await startTestPooler(database.url, "transaction", "");
    onTestFinished(strict.stop);
    await expect(open(strict.url).query("select 1")).rejects.toMatchObject({
      fault: "misconfigured",
      message: expect.stringContaining(
        "Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer.",
      ),
    });
  });
});
