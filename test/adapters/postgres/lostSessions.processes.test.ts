import { finished } from "node:stream/promises";
import type { Pool, PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isDatabaseUnavailable } from "../../../src/adapters/postgres/errors.js";
import { endLostSessions } from "../../../src/adapters/postgres/lostSessions.js";
import { createPool } from "../../../src/adapters/postgres/pool.js";
import { eventually } from "../../support/eventually.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";
import { startTcpProxy, type TcpProxy } from "../../support/stores/tcpProxy.js";

let database: TestDatabase;
let network: TcpProxy;
let pool: Pool;
let lost: number[];
let taken: PoolClient[];
let unwatch: () => void;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query("create table notes (text text); insert into notes values ('first')");
  network = await startTcpProxy(database.url);
  pool = createPool({ url: network.address, applicationName: "watched", statementTimeoutMs: 0 });
  lost = [];
  taken = [];
  unwatch = endLostSessions(pool, { applicationName: "watched", everyMs: 100, onLost: (pid) => lost.push(pid) });
});
afterEach(async () => {
  unwatch();
  network.set({ kind: "pass" });
  network.cut();
  for (const client of taken) client.release(true);
  await pool.end();
  await network.stop();
  await database.close();
});

/** Begins a transaction that holds a row lock. */
async function holdingARow(): Promise<PoolClient> {
  const client = await pool.connect();
  taken.push(client);
  await client.query("begin");
  await client.query("update notes set text = 'changed'");
  return client;
}

async function rowIsFree(): Promise<void> {
  const free = async () => (await database.pool.query("select * from notes for update skip locked")).rows.length === 1;
  await eventually(free, "the lost session's lock to be free");
}

/** Whether the work fails as an outage. The client or the server may be the one that ends the session. */
const isOutage = (work: Promise<unknown>) => work.then(() => false, isDatabaseUnavailable);

test.each(["blackHole", "deaf"] as const)(
  "a session whose bytes the network lost (%s) is ended on both sides once the server can be reached again",
  async (kind) => {
    const client = await holdingARow();
    network.set({ kind });
    const outcome = isOutage(client.query("update notes set text = 'again'"));
    await eventually(async () => network.swallowed() > 0, "something to be swallowed");
    network.set({ kind: "pass" });
    expect(await outcome).toBe(true);
    expect(lost).toHaveLength(1);
    await rowIsFree();
    expect((await pool.query("select text from notes")).rows).toEqual([{ text: "first" }]);
  },
);

test("a COPY whose rows are lost is ended too", async () => {
  const client = await holdingARow();
  const stream = client.query(copyFrom("copy notes from stdin"));
  const outcome = isOutage(finished(stream));
  await new Promise((written) => stream.write("second\n", written));
  await eventually(
    async () =>
      (await database.pool.query("select 1 from pg_stat_activity where query like 'copy notes%' and wait_event = 'ClientRead'")).rows
        .length === 1,
    "the server to wait for rows",
  );
  network.set({ kind: "blackHole" });
  stream.end("third\n");
  await eventually(async () => network.swallowed() > 0, "rows to be swallowed");
  network.set({ kind: "pass" });
  expect(await outcome).toBe(true);
  await rowIsFree();
});

test("a long statement, one that waits for a lock, and an idle session are left alone", async () => {
  const idle = await holdingARow();
  const waiting = pool.query("update notes set text = 'waited'");
  await pool.query("select pg_sleep(3)");
  await idle.query("commit");
  await waiting;
  expect((await pool.query("select text from notes")).rows).toEqual([{ text: "waited" }]);
  expect(lost).toEqual([]);
});
