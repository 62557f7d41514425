// Endpoints that are behind: few deliveries wait for each, and the rest is a position in the list of events.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pauseWebhook, resumeWebhook } from "../../../src/commands/organisations/webhooks.js";
import { releaseDeliveries } from "../../../src/commands/webhooks/deliveries.js";
import { replayEvents } from "../../../src/commands/webhooks/replay.js";
import { prepareTables } from "../../../src/main/tables.js";
import { oldestUnsentSeconds } from "../../../src/queries/metrics.js";
import { listWebhooks } from "../../../src/queries/organisations/webhooks.js";
import { maxWaiting } from "../../../src/workers/webhooks/sending/fillDeliveries.js";
import { eventually } from "../../support/eventually.js";
import type { Told } from "../../support/importStory.js";
import type { Receiver } from "../../support/receiver.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.work({ random: () => 0 });
});
afterAll(() => stage?.close());

const record = (organisationId: string, count: number) => Promise.all(Array.from({ length: count }, () => stage.record(organisationId)));

async function rowsOf(endpointId: string): Promise<number> {
  const { rows } = await stage.pool.query<{ count: number }>(
    "select count(*)::int as count from webhook_deliveries where endpoint_id = $1 and status = 'waiting'",
    [endpointId],
  );
  return rows[0]?.count ?? 0;
}

/** The follower has read all that was recorded before: an endpoint that works has got what is recorded now. */
async function untilFollowed(witness: Receiver, organisationId: string): Promise<void> {
  const { events } = await stage.record(organisationId);
  await eventually(() => witness.got.some(({ id }) => id === events.at(-1)?.id), "the witness's delivery");
}

/** Every event arrived, and for each import the first arrivals are in the order of the log. */
function expectAll(receiver: Receiver, told: readonly Told[], from = 0): void {
  for (const { importId, events } of told) {
    const own = receiver.got.slice(from).filter(({ data }) => data.importId === importId);
    expect([...new Set(own.map(({ id }) => id))]).toEqual([events[1]?.id, events.at(-1)?.id]);
  }
}

const deadWithABacklog = async () => {
  const organisationId = await stage.newOrganisation();
  let isDead = true;
  const receiver = await stage.receiver(organisationId, (_, response) => {
    if (isDead) response.statusCode = 503;
    return undefined;
  });
  const told = await record(organisationId, maxWaiting.newOrFailing / 2 + 5);
  const set = (dead: boolean) => {
    isDead = dead;
  };
  return { organisationId, receiver, told, set };
};

test("for an endpoint that fails at most 100 deliveries wait, another organisation's arrive, and it is caught up in order once it answers", async () => {
  const other = await stage.newOrganisation();
  const witness = await stage.receiver(other);
  const { organisationId, receiver, told, set } = await deadWithABacklog();
  await untilFollowed(witness, other);
  await eventually(async () => (await rowsOf(receiver.endpointId)) > 0 && receiver.got.length > 0, "an attempt");
  for (let n = 0; n < 5; n += 1) {
    await untilFollowed(witness, other); // the sender has looked at every endpoint meanwhile
    expect(await rowsOf(receiver.endpointId)).toBeLessThanOrEqual(maxWaiting.newOrFailing);
  }
  const [endpoint] = await listWebhooks(organisationId, stage.pool);
  expect(endpoint?.waiting).toBe(told.length * 2);
  set(false);
  const failed = receiver.got.length;
  const all = async () => {
    await stage.hurry();
    return new Set(receiver.got.slice(failed).map(({ id }) => id)).size === told.length * 2;
  };
  await eventually(all, "everything");
  expectAll(receiver, told);
  await eventually(async () => (await listWebhooks(organisationId, stage.pool))[0]?.waiting === 0, "nothing that waits");
  const repeated = receiver.got.slice(failed).length - told.length * 2;
  expect(repeated).toBe(0);

  set(true);
  await stage.record(organisationId);
  await eventually(() => receiver.got.length > failed + told.length * 2, "a failure");
  const again = receiver.got.length;
  expect(await replayEvents(stage, { organisationId, endpointId: receiver.endpointId }, new Date(0))).toBe(told.length * 2 + 2);
  await eventually(() => receiver.got.length > again, "an attempt after the replay");
  for (let n = 0; n < 5; n += 1) {
    await untilFollowed(witness, other);
    expect(await rowsOf(receiver.endpointId)).toBeLessThanOrEqual(maxWaiting.newOrFailing);
  }
  set(false);
  const allAgain = async () => {
    await stage.hurry();
    return new Set(receiver.got.slice(again).map(({ id }) => id)).size === told.length * 2 + 2;
  };
  await eventually(allAgain, "everything again");
  expectAll(receiver, told, again);
});

test("for a paused endpoint no delivery is added; resumed, it goes on from its position", async () => {
  const organisationId = await stage.newOrganisation();
  const [receiver, witness] = [await stage.receiver(organisationId), await stage.receiver(organisationId)];
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  await pauseWebhook(stage.deps, endpoint, origin);
  const told = await record(organisationId, 20);
  await untilFollowed(witness, organisationId);
  expect(await rowsOf(receiver.endpointId)).toBe(0);
  await resumeWebhook(stage.deps, endpoint, origin);
  await releaseDeliveries(stage.pool, endpoint);
  await eventually(() => receiver.got.length === told.length * 2 + 2, "what happened meanwhile");
  expectAll(receiver, told);
});

test("a working endpoint that refuses a thousand events, and has as many waiting behind them, gets the next ones", async () => {
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  const first = await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "a first import");
  await eventually(async () => (await rowsOf(receiver.endpointId)) === 0, "both outcomes");
  await stage.pool.query(
    `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at, failures)
     select $1, $2, gen_random_uuid(), 'import.started', gen_random_uuid(), 1, 1, now(), 'waiting', now() + interval '1 hour', n % 2
       from generate_series(1, $3) as n`,
    [receiver.endpointId, organisationId, maxWaiting.due * 2],
  );
  const told = await record(organisationId, 2);
  await eventually(() => receiver.got.length === 6, "the next ones");
  expectAll(receiver, [first, ...told]);
});

test("resumed after more than 30 days an endpoint gets the events of the last 30", async () => {
  const organisationId = await stage.newOrganisation();
  const [receiver, witness] = [await stage.receiver(organisationId), await stage.receiver(organisationId)];
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  await pauseWebhook(stage.deps, endpoint, origin);
  const [old, young] = [await stage.record(organisationId), await stage.record(organisationId)];
  await untilFollowed(witness, organisationId);
  const age = "update webhook_events set occurred_at = now() - $2::interval where import_id = $1";
  await stage.pool.query(age, [old.importId, "30 days 1 minute"]);
  await stage.pool.query(age, [young.importId, "29 days 23 hours"]);
  await resumeWebhook(stage.deps, endpoint, origin);
  await eventually(() => receiver.got.length === 4, "the last 30 days");
  expectAll(receiver, [young]);
  expect(receiver.got.filter(({ data }) => data.importId === old.importId)).toEqual([]);
});

test("a replay reads no stream of an import that the list of told events has", async () => {
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const told = await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "the import");
  await eventually(async () => (await rowsOf(receiver.endpointId)) === 0, "both outcomes");
  const read: string[] = [];
  const last = (stream: string) => {
    read.push(stream);
    return stage.eventStore.last(stream);
  };
  const eventStore = { ...stage.eventStore, last };
  expect(await replayEvents({ pool: stage.pool, eventStore }, endpoint, new Date(0))).toBe(2);
  expect(read).toEqual([told.stream]); // the list is younger than the import, as far as two clocks can tell
  await eventually(() => receiver.got.length === 4, "the replay");
  await eventually(async () => (await rowsOf(receiver.endpointId)) === 0, "both outcomes");
  await stage.pool.query("update webhook_events set created_at = created_at - interval '2 hours' where organisation_id = $1", [
    organisationId,
  ]);
  expect(await replayEvents({ pool: stage.pool, eventStore }, endpoint, new Date(0))).toBe(2);
  expect(read).toEqual([told.stream]);
  await eventually(() => receiver.got.length === 6, "the second replay");
  expectAll(receiver, [told], 4);
});

test.each(["webhook_events", "webhook_backlogs", "webhook_deliveries"])(
  "what waits is sent although the table %s was lost",
  async (name) => {
    const organisationId = await stage.newOrganisation();
    const [receiver, witness] = [await stage.receiver(organisationId), await stage.receiver(organisationId)];
    const endpoint = { organisationId, endpointId: receiver.endpointId };
    await pauseWebhook(stage.deps, endpoint, origin);
    const told = await record(organisationId, 2);
    await untilFollowed(witness, organisationId);
    await stage.pool.query(`drop table ${name}`);
    await prepareTables(stage);
    await resumeWebhook(stage.deps, endpoint, origin);
    await eventually(() => receiver.got.length >= 6, "what happened meanwhile");
    expectAll(receiver, told);
  },
);

test("an event of which no delivery is made yet counts as unsent; a replay does not", async () => {
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  const oldest = async (change: string) => {
    const client = await stage.pool.connect();
    try {
      await client.query("begin");
      // In front of the tables, which the sender goes on with.
      for (const table of ["webhook_deliveries", "webhook_backlogs", "webhook_events"])
        await client.query(`create temporary table ${table} (like ${table} including all) on commit drop`);
      await client.query(
        `insert into webhook_events (organisation_id, position, event_id, type, import_id, revision, occurred_at, created_at)
         select $1, 9000000000, gen_random_uuid(), 'import.started', gen_random_uuid(), 1, now(), now() - interval '1 hour'`,
        [organisationId],
      );
      await client.query("insert into webhook_backlogs (endpoint_id, position, next_at) values ($1, 1, now())", [receiver.endpointId]);
      await client.query(change);
      return await oldestUnsentSeconds(client);
    } finally {
      await client.query("rollback");
      client.release();
    }
  };
  expect(await oldest("select")).toBeCloseTo(3_600, 2);
  expect(await oldest("update webhook_backlogs set again_until = 9000000000")).toBe(0);
  expect(await oldest("update webhook_backlogs set next_at = null")).toBe(0);
});
