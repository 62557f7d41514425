import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { chooseDeliveries, type FreeSlots } from "../../../src/workers/webhooks/sending/chooseDeliveries.js";
import { createTestDatabase, type TestDatabase } from "../../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => database.pool.query("truncate webhook_endpoints, webhook_deliveries, webhook_health"));

type Record = "works" | "new" | "failing";

/** Adds `count` endpoints, each with one waiting delivery for each of `imports` imports, due since `secondsAgo`. */
async function endpoints(
  organisation: string,
  record: Record,
  { count, imports = 1, secondsAgo = 10 }: { count: number; imports?: number; secondsAgo?: number },
) {
  await database.pool.query(
    `with added as (
       insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position)
       select gen_random_uuid(), $1, 'https://x.example', '{}', 1, now(), 0 from generate_series(1, $2) returning endpoint_id
     ), health as (
       insert into webhook_health (endpoint_id, failures, succeeded_at)
       select endpoint_id, case when $3 = 'failing' then 1 else 0 end, case when $3 = 'works' then now() end from added where $3 <> 'new'
     )
     insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at)
     select endpoint_id, $1, gen_random_uuid(), 'import.started', gen_random_uuid(), 1, n, now(), 'waiting', now() - $5 * interval '1 second'
       from added, generate_series(1, $4) as n`,
    [organisation, count, record, imports, secondsAgo],
  );
}

const plenty: FreeSlots = { inAll: 2_000, further: 500, new: 1_000, failing: 500 };

/** Counts the chosen deliveries by organisation and slot. `change` runs in the same transaction, so that now() is the same for both. */
async function chosen(free: FreeSlots = plenty, change = "select") {
  const client = await database.pool.connect();
  try {
    await client.query(`begin; ${change}`);
    const slots = await chooseDeliveries(client, free);
    const { rows } = await client.query<{ id: string; organisation: string }>(
      "select id::text, organisation_id as organisation from webhook_deliveries where id = any($1::bigint[])",
      [[...slots.keys()]],
    );
    const counted: { [what: string]: number } = {};
    for (const { id, organisation } of rows) {
      const what = `${organisation} ${slots.get(id)}`;
      counted[what] = (counted[what] ?? 0) + 1;
    }
    return counted;
  } finally {
    await client.query("commit");
    client.release();
  }
}

test("an endpoint that works gets four deliveries at once, one that is new or failing gets one", async () => {
  await endpoints("a", "works", { count: 2, imports: 5 });
  await endpoints("a", "new", { count: 3, imports: 5 });
  await endpoints("a", "failing", { count: 4, imports: 5 });
  expect(await chosen()).toEqual({ "a first": 2, "a further": 6, "a new": 3, "a failing": 4 });
  expect(await chosen({ ...plenty, further: 0, new: 1, failing: 2 })).toEqual({ "a first": 2, "a new": 1, "a failing": 2 });
});

test("failing and new endpoints get few slots of a turn, and take none from endpoints that work", async () => {
  await endpoints("a", "failing", { count: 300 });
  await endpoints("a", "new", { count: 300 });
  await endpoints("b", "works", { count: 10, secondsAgo: 0 });
  expect(await chosen()).toEqual({ "b first": 10, "a new": 100, "a failing": 25 });
});

test("an organisation with thousands of older deliveries does not keep another's waiting", async () => {
  await endpoints("busy", "works", { count: 400, imports: 10, secondsAgo: 3_600 });
  await endpoints("other", "works", { count: 3, imports: 2, secondsAgo: 0 });
  expect(await chosen()).toMatchObject({ "other first": 3, "busy first": 247 });
});

test("an endpoint that is paused, removed or before its next retry gets nothing", async () => {
  for (const [organisation, change] of [
    ["paused", "update webhook_endpoints set paused_at = now() where organisation_id = 'paused'"],
    ["removed", "update webhook_endpoints set removed_at = now() where organisation_id = 'removed'"],
    ["later", "select"],
    ["due", "select"],
  ] as const) {
    await endpoints(organisation, organisation === "later" ? "failing" : "works", { count: 1 });
    await database.pool.query(change);
  }
  const retry = (interval: string) => `update webhook_health set retry_at = now() + interval '${interval}' where failures > 0`;
  expect(await chosen(plenty, retry("1 millisecond"))).toEqual({ "due first": 1 });
  expect(await chosen(plenty, retry("-1 millisecond"))).toEqual({ "due first": 1, "later failing": 1 });
});

test("deliveries of a dead worker hold their slots for as long as an attempt takes, and their imports until the claim runs out", async () => {
  await endpoints("a", "works", { count: 1, imports: 8 });
  const claim = (interval: string) =>
    `update webhook_deliveries set claim = 'w0', due_at = now() + interval '${interval}' where id in (select min(id) + n from webhook_deliveries, generate_series(0, 3) as n group by n)`;
  expect(await chosen(plenty, claim("10 seconds 1 millisecond"))).toEqual({});
  expect(await chosen(plenty, claim("9 seconds 999 milliseconds"))).toEqual({ "a first": 1, "a further": 3 });
  await database.pool.query("delete from webhook_deliveries where claim is null");
  expect(await chosen(plenty, claim("1 millisecond"))).toEqual({});
  expect(await chosen(plenty, claim("-1 millisecond"))).toEqual({ "a first": 1, "a further": 3 });
});

test("one ping at a time goes to an endpoint, also to one that is paused", async () => {
  await endpoints("a", "works", { count: 2, imports: 0 });
  await database.pool.query("update webhook_endpoints set paused_at = now()");
  const ping = `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, occurred_at, status, due_at)
    select endpoint_id, 'a', gen_random_uuid(), 'ping', now(), 'waiting', now() from webhook_endpoints`;
  for (let n = 0; n < 3; n += 1) await database.pool.query(ping);
  expect(await chosen()).toEqual({ "a new": 2 });
  await database.pool.query(
    "update webhook_deliveries set claim = 'w1', due_at = now() + interval '1 minute' where id in (select min(id) from webhook_deliveries group by endpoint_id limit 1)",
  );
  expect(await chosen()).toEqual({ "a new": 1 });
});
