// A sender is told of what another process, or a person, has made due. What becomes due by the clock it finds by asking.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openNotices } from "../../../src/adapters/postgres/notices.js";
import { pauseWebhook, resumeWebhook } from "../../../src/commands/organisations/webhooks.js";
import { enqueuePing, releaseDeliveries, resendDelivery } from "../../../src/commands/webhooks/deliveries.js";
import { replayEvents } from "../../../src/commands/webhooks/replay.js";
import { channels, type Notices } from "../../../src/ports/notices.js";
import { nextDeliveryInMs } from "../../../src/workers/webhooks/sending/chooseDeliveries.js";
import { eventually } from "../../support/eventually.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
beforeAll(async () => {
  stage = await openStage();
  organisationId = await stage.newOrganisation();
});
afterAll(() => stage?.close());

async function listening(): Promise<Notices> {
  const stop = new AbortController();
  const url = stage.environment["DATABASE_URL"] ?? "";
  const notices = openNotices({ url, applicationName: "told", channels: Object.values(channels), signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await notices.closed;
  });
  await eventually(notices.areArriving, "the connection");
  return notices;
}

/** The stage's pool, on which the question what is due is always answered with nothing. */
function neverDue(): { readonly pool: Pool; asked: () => number } {
  let asked = 0;
  const query = (statement: string | { readonly text: string }, ...values: unknown[]) => {
    const text = typeof statement === "string" ? statement : statement.text;
    if (!text.includes("as due (at)")) return (stage.pool.query as (...args: unknown[]) => unknown).call(stage.pool, statement, ...values);
    asked += 1;
    return Promise.resolve({ rows: [{ ms: null }] });
  };
  return { pool: Object.assign(Object.create(stage.pool) as Pool, { query }), asked: () => asked };
}

test("a sender that finds nothing by asking sends pings, repetitions, replays and what waited for a resume", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const { pool, asked } = neverDue();
  const worker = stage.work({ pool, notices: await listening() });
  onTestFinished(worker.stop);
  /** The sender rests, so that nothing but a notice makes it look. */
  const rests = async () => {
    const before = asked();
    await eventually(() => asked() > before, "the sender's rest");
  };
  const arrives = (count: number) => eventually(() => receiver.got.length >= count, `request ${count}`);

  await rests();
  await enqueuePing(stage.pool, endpoint, randomUUID());
  await arrives(1);
  await rests();
  const [delivery] = await stage.deliveries(organisationId, receiver.endpointId);
  await resendDelivery(stage.pool, endpoint, delivery?.deliveryId ?? "");
  await arrives(2);
  await stage.record(organisationId);
  await arrives(4);
  await rests();
  await replayEvents(stage, endpoint, new Date(0));
  await arrives(6);
  await pauseWebhook(stage.deps, endpoint, origin);
  await stage.record(organisationId);
  await rests();
  await resumeWebhook(stage.deps, endpoint, origin);
  await releaseDeliveries(stage.pool, endpoint);
  await arrives(8);
});

test("the senders of all processes are told of an event by the process that follows the log", async () => {
  const notices = await listening();
  let told = 0;
  notices.on(channels.deliveriesDue, () => {
    told += 1;
  });
  const worker = stage.work();
  onTestFinished(worker.stop);
  const silent = await stage.newOrganisation(); // it has no endpoint
  await stage.record(silent);
  await eventually(async () => {
    const { rowCount } = await stage.pool.query("select from webhook_events where organisation_id = $1", [silent]);
    return rowCount === 2;
  }, "the follower has passed them");
  const toldOfSilent = told;
  const receiver = await stage.receiver(organisationId);
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "both events");
  expect([1, 2]).toContain(told - toldOfSilent); // on a busy machine the two events come in two batches
  expect(toldOfSilent).toBe(0);
});

test("what is due next is asked of the database: pauses of endpoints, retries and pings count, what is paused does not", async () => {
  const own = await openStage();
  onTestFinished(own.close);
  const id = await own.newOrganisation();
  const { endpointId } = await own.add(id, "http://127.0.0.1:9/");
  const endpoint = { organisationId: id, endpointId };
  expect(await nextDeliveryInMs(own.pool)).toBe(Number.POSITIVE_INFINITY);
  await own.pool.query(
    `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at)
     values ($1, $2, $3, 'import.started', $3, 1, 1, now(), 'waiting', now() + interval '1 minute')`,
    [endpointId, id, randomUUID()],
  );
  const isAbout = (seconds: number, ms: number) => expect(Math.abs(ms / 1000 - seconds)).toBeLessThan(30);
  isAbout(60, await nextDeliveryInMs(own.pool));
  await own.pool.query("insert into webhook_health (endpoint_id, failures, retry_at) values ($1, 1, now() + interval '1 hour')", [
    endpointId,
  ]);
  isAbout(3_600, await nextDeliveryInMs(own.pool));
  await own.pool.query("insert into webhook_backlogs (endpoint_id, position, next_at) values ($1, 1, now() + interval '10 minutes')", [
    endpointId,
  ]);
  isAbout(600, await nextDeliveryInMs(own.pool));
  await pauseWebhook(own.deps, endpoint, origin);
  expect(await nextDeliveryInMs(own.pool)).toBe(Number.POSITIVE_INFINITY);
  await enqueuePing(own.pool, endpoint, randomUUID());
  expect(await nextDeliveryInMs(own.pool)).toBeLessThanOrEqual(0);
});
