import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createPoolForReads } from "../../../src/adapters/postgres/reads.js";
import { createSlots } from "../../../src/slots.js";
import { eventually } from "../../support/eventually.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterAll(() => database?.close());

const never = new AbortController().signal;
const asleep = async (marker: string) => {
  const like = `%${marker}%pg_sleep%`;
  return (
    await database.pool.query("select from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()", [like])
  ).rowCount;
};

test("a statement whose reader has left ends in the server, and its reader gets the reason", async () => {
  const leaving = new AbortController();
  const pool = createPoolForReads()(database.pool, { organisationId: "a", signal: leaving.signal });
  const running = pool.query("select /* left */ pg_sleep(600)");
  const failed = expect(running).rejects.toThrow("gone");
  await eventually(async () => (await asleep("left")) === 1, "the statement");
  leaving.abort(new Error("gone"));
  await failed;
  await eventually(async () => (await asleep("left")) === 0, "its end");
  await expect(pool.query("select 1")).rejects.toThrow("gone");
});

test("a connection that is held for several statements is cancelled too", async () => {
  const leaving = new AbortController();
  const client = await createPoolForReads()(database.pool, { organisationId: "a", signal: leaving.signal }).connect();
  onTestFinished(() => client.release());
  const running = client.query("select /* held */ pg_sleep(600)");
  const failed = expect(running).rejects.toMatchObject({ name: "StoreUnavailable", cause: { code: "57014" } });
  await eventually(async () => (await asleep("held")) === 1, "the statement");
  leaving.abort();
  await failed;
});

test("no statement of another reader is ever cancelled, whenever a reader leaves", async () => {
  const reads = createPoolForReads();
  for (let round = 0; round < 40; round += 1) {
    const leaving = new AbortController();
    const leaver = reads(database.one, { organisationId: "a", signal: leaving.signal }).query("select pg_sleep(0.002)");
    // Waits for the only connection, and takes it the moment it is free.
    const other = reads(database.one, { organisationId: "b", signal: never }).query<{ n: number }>("select 1 as n, pg_sleep(0.002)");
    await pause(round % 8);
    leaving.abort(new Error("gone"));
    await leaver.catch(() => undefined);
    expect((await other).rows[0]?.n).toBe(1);
  }
});

test("an organisation's statements wait for each other, and are refused when too many wait", async () => {
  const slots = createSlots({ maxHeld: 3, maxPerOwner: 2, queue: { maxPerOwner: 1, maxWaitMs: 60_000 }, refusal: "too many" });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const of = (organisationId: string) => createPoolForReads(slots)(database.pool, { organisationId, signal: leaving.signal });
  const sleepers = Array.from({ length: 3 }, () => of("a").query("select /* many */ pg_sleep(600)"));
  const ends = Promise.allSettled(sleepers);
  await eventually(async () => (await asleep("many")) === 2, "two statements");
  await expect(of("a").query("select 1")).rejects.toMatchObject({ name: "TooBusy" });
  expect((await of("b").query<{ n: number }>("select 1 as n")).rows).toEqual([{ n: 1 }]);
  expect(await asleep("many")).toBe(2);
  leaving.abort(new Error("gone"));
  await ends;
  await eventually(async () => (await asleep("many")) === 0, "their end");
});
