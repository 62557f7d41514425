import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { changeWebhook, pauseWebhook, removeWebhook, resumeWebhook, rotateWebhook } from "../../../src/commands/organisations/webhooks.js";
import { ping, releaseDeliveries, sendAgain } from "../../../src/commands/webhooks/deliveries.js";
import { replay } from "../../../src/commands/webhooks/replay.js";
import { listDeliveries, listWebhooks } from "../../../src/queries/organisations/webhooks.js";
import { eventually } from "../../support/eventually.js";
import { tell } from "../../support/importStory.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
let worker: { stop(): Promise<void> };
beforeAll(async () => {
  stage = await openStage();
  worker = stage.work({ random: () => 0 });
});
afterAll(() => stage?.close());
afterEach(async () => {
  for (const { endpointId } of await listWebhooks(stage.pool, organisationId))
    await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
});

const deliveries = (endpointId: string) => listDeliveries(stage.pool, organisationId, endpointId, { limit: 100 });
/** Makes everything due now, as if its back-off were over. */
const hurry = () =>
  stage.pool.query("update webhook_deliveries set due_at = now() where claim is null; update webhook_health set retry_at = null");

test("an import's start and end arrive once each, in order, signed, under their events' ids, as the API shows the import", async () => {
  organisationId = await stage.newOrganisation();
  await stage.record(organisationId); // before there is an endpoint: never told
  const receiver = await stage.receiver(organisationId);
  const report = `reports/x/1.xlsx`;
  const { importId, events } = await stage.record(organisationId, { report, sourceDetails: "march.csv" });
  await eventually(() => receiver.got.length === 2, "two deliveries");
  expect(receiver.forged).toEqual([]);
  expect(receiver.got.map(({ id, type }) => ({ id, type }))).toEqual([
    { id: events[1]?.id, type: "import.started" },
    { id: events.at(-1)?.id, type: "import.completed" },
  ]);
  const shared = { importId, source: "file", sourceDetails: "march.csv", submittedAt: "2026-03-01T10:00:00.000Z", errorMessage: null };
  expect(receiver.got[0]).toMatchObject({ timestamp: "2026-03-01T10:00:00.000Z" });
  expect(receiver.got[0]?.data).toEqual({
    ...shared,
    ...{ status: "processing", progress: 0, counts: { received: 0, processed: 0, failed: 0 } },
    ...{ startedAt: "2026-03-01T10:00:00.000Z", finishedAt: null, errorReportUrl: null },
  });
  expect(receiver.got[1]?.data).toEqual({
    ...shared,
    ...{ status: "completed", progress: 100, counts: { received: 2, processed: 1, failed: 1 } },
    ...{ startedAt: "2026-03-01T10:00:00.000Z", finishedAt: "2026-03-01T10:00:00.000Z" },
    errorReportUrl: expect.stringContaining(report),
  });
});

test("a failed and a cancelled import are told with what was read until then", async () => {
  const receiver = await stage.receiver(organisationId);
  await stage.record(organisationId, { end: "failed" });
  await stage.record(organisationId, { end: "cancelled" });
  await eventually(() => receiver.got.length === 4, "four deliveries");
  const ends = receiver.got.filter(({ type }) => type !== "import.started");
  const shown = ends.map(({ data: { status, progress, counts, errorMessage } }) => ({ status, progress, counts, errorMessage }));
  expect(shown.sort((one, other) => String(other.status).localeCompare(String(one.status)))).toEqual([
    { status: "failed", progress: 40, counts: { received: 2, processed: 0, failed: 1 }, errorMessage: "The file broke off." },
    { status: "cancelled", progress: 40, counts: { received: 2, processed: 0, failed: 1 }, errorMessage: null },
  ]);
});

test("an endpoint gets the types it asked for, and none of another organisation", async () => {
  const receiver = await stage.receiver(organisationId);
  await changeWebhook(stage.deps, { organisationId, endpointId: receiver.endpointId }, { events: ["import.failed"] }, origin);
  await stage.record(await stage.newOrganisation(), { end: "failed" });
  const { importId } = await stage.record(organisationId, { end: "failed" });
  await eventually(() => receiver.got.length > 0, "a delivery");
  await stage.record(organisationId, {});
  await ping(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
  await eventually(() => receiver.got.some(({ type }) => type === "ping"), "the ping");
  expect(receiver.got.map(({ type, data }) => [type, data.importId])).toEqual([
    ["import.failed", importId],
    ["ping", undefined],
  ]);
});

test("a delivery that fails holds back the later ones of its import alone, and comes again under the same id", async () => {
  let failing: string | undefined;
  const receiver = await stage.receiver(organisationId, ({ data }, response) => {
    failing ??= data.importId;
    if (data.importId === failing && failing !== "") response.statusCode = 500;
    return undefined;
  });
  const [first, second] = [await stage.record(organisationId), await stage.record(organisationId)];
  failing ??= first.importId;
  const of = (importId: string) => receiver.got.filter(({ data }) => data.importId === importId);
  const other = failing === first.importId ? second : first;
  await eventually(() => of(other.importId).length === 2, "the other import's deliveries");
  const held = failing;
  await eventually(() => of(held).length > 0, "the first of the held ones");
  expect(new Set(of(held).map(({ type }) => type))).toEqual(new Set(["import.started"]));
  failing = "";
  await hurry();
  await eventually(() => of(held).some(({ type }) => type === "import.completed"), "the held one");
  expect(of(held).at(-1)?.type).toBe("import.completed");
  expect(
    new Set(
      of(held)
        .slice(0, -1)
        .map(({ id }) => id),
    ).size,
  ).toBe(1);
  const [settled] = (await deliveries(receiver.endpointId)).filter(({ attempts }) => attempts.length > 1);
  expect(settled?.status).toBe("delivered");
  expect(settled?.attempts[0]).toMatchObject({ status: 500, reason: "It answered 500" });
  expect(settled?.attempts.at(-1)).toMatchObject({ status: 200, reason: null, answer: "thank you" });
});

test("an event that is recorded while the one before it is on its way is due at once, and goes when that has arrived", async () => {
  let arrive: () => void = () => undefined;
  const receiver = await stage.receiver(organisationId, ({ type }, response) => {
    if (type !== "import.started") return false;
    arrive = () => response.end();
    return true;
  });
  const { importId } = await stage.record(organisationId, { end: "running", rows: [] });
  await eventually(() => receiver.got.length === 1, "the start");
  const { stream, events } = tell({ kind: "activities", rows: [], importId, organisationId });
  await stage.eventStore.append(stream, events.slice(2), 1n);
  await eventually(async () => (await deliveries(receiver.endpointId)).length === 2, "the end, to be told");
  const { rows } = await stage.pool.query("select due_at <= now() as due from webhook_deliveries where event_id = $1", [events[2]?.id]);
  expect(rows).toEqual([{ due: true }]);
  expect(receiver.got).toHaveLength(1);
  arrive();
  await eventually(() => receiver.got.length === 2, "the end");
});

test("a rotated secret signs at once, and the one before it for a day more", async () => {
  const receiver = await stage.receiver(organisationId);
  const before = receiver.secret;
  const { secret } = await rotateWebhook(stage.deps, { organisationId, endpointId: receiver.endpointId }, origin);
  expect(secret).not.toBe(before);
  const tell = async (kept: string, count: number) => {
    receiver.secret = kept;
    await ping(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
    await eventually(() => receiver.got.length === count, "a ping");
    return receiver.forged.length;
  };
  expect(await tell(before, 1)).toBe(0);
  expect(await tell(secret, 2)).toBe(0);
  await stage.pool.query("update webhook_endpoints set rotated_at = now() - interval '24 hours 1 minute' where endpoint_id = $1", [
    receiver.endpointId,
  ]);
  expect(await tell(secret, 3)).toBe(0);
  expect(await tell(before, 4)).toBe(1);
});

test("rotated twice in a day, each secret signs for as long as was said; after a day the last one alone", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const secrets = [receiver.secret];
  for (let n = 0; n < 2; n += 1) secrets.push((await rotateWebhook(stage.deps, endpoint, origin)).secret);
  const signs = async (secret: string) => {
    receiver.secret = secret;
    const [got, forged] = [receiver.got.length, receiver.forged.length];
    await ping(stage.pool, endpoint, crypto.randomUUID());
    await eventually(() => receiver.got.length > got, "a ping");
    return receiver.forged.length === forged;
  };
  for (const secret of secrets) expect(await signs(secret)).toBe(true);
  const turnBack = "update webhook_endpoints set rotated_at = rotated_at - interval '24 hours 1 minute' where endpoint_id = $1";
  await stage.pool.query(turnBack, [receiver.endpointId]);
  secrets.push((await rotateWebhook(stage.deps, endpoint, origin)).secret);
  const signing = [];
  for (const secret of secrets) signing.push(await signs(secret));
  expect(signing).toEqual([false, false, true, true]);
  for (let n = 0; n < 5; n += 1) secrets.push((await rotateWebhook(stage.deps, endpoint, origin)).secret);
  await eventually(() => signs(secrets.at(-1) ?? ""), "the last one");
  expect(String(receiver.got.at(-1)?.headers["webhook-signature"]).split(" ")).toHaveLength(5);
});

test("a paused endpoint gets nothing; resumed, it gets what happened meanwhile", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const witness = await stage.receiver(organisationId);
  await pauseWebhook(stage.deps, endpoint, origin);
  await stage.record(organisationId);
  await eventually(() => witness.got.length === 2, "the other endpoint's");
  expect(receiver.got).toEqual([]);
  await resumeWebhook(stage.deps, endpoint, origin);
  await releaseDeliveries(stage.pool, endpoint);
  await eventually(() => receiver.got.length === 2, "what has waited");
  expect(receiver.got.map(({ id }) => id)).toEqual(witness.got.map(({ id }) => id));
});

test("410 removes the endpoint, in the name of the worker", async () => {
  const receiver = await stage.receiver(organisationId, (_, response) => {
    response.statusCode = 410;
    return undefined;
  });
  await stage.record(organisationId);
  await eventually(
    async () => !(await listWebhooks(stage.pool, organisationId)).some(({ endpointId }) => endpointId === receiver.endpointId),
    "the removal",
  );
  const last = await stage.eventStore.last(`organisation-${organisationId}`);
  expect(last).toMatchObject({ type: "WebhookRemoved", data: { reason: "It answered 410 Gone.", by: { kind: "worker" } } });
  expect(receiver.got).toHaveLength(1);
});

test("three days without a success pause the endpoint; its deliveries stay", async () => {
  const receiver = await stage.receiver(organisationId, (_, response) => {
    response.statusCode = 503;
    return undefined;
  });
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 1, "an attempt");
  const age = (days: string) =>
    stage.pool.query("update webhook_health set failing_since = now() - $1::interval where endpoint_id = $2", [days, receiver.endpointId]);
  const again = async (attempts: number) => {
    await hurry();
    await eventually(() => receiver.got.length >= attempts, "another attempt");
  };
  const paused = async () => (await listWebhooks(stage.pool, organisationId)).find((each) => each.endpointId === receiver.endpointId);
  await eventually(async () => (await deliveries(receiver.endpointId)).some(({ reason }) => reason !== null), "the first failure");
  await age("2 days 23 hours");
  await again(2);
  await eventually(async () => (await deliveries(receiver.endpointId)).some(({ attempts }) => attempts.length === 2), "the second failure");
  expect((await paused())?.pausedAt).toBeNull();
  await age("3 days");
  await again(3);
  await eventually(async () => (await paused())?.pausedAt !== null, "the pause");
  expect((await paused())?.pausedBecause).toBe("No delivery has succeeded for three days.");
  expect((await deliveries(receiver.endpointId)).map(({ status }) => status)).toEqual(["waiting", "waiting"]);
});

test("a delivery that alone fails for three days is given up, and the next of its import goes", async () => {
  const receiver = await stage.receiver(organisationId, ({ type }, response) => {
    if (type === "import.started") response.statusCode = 500;
    return undefined;
  });
  await stage.record(organisationId);
  await eventually(async () => (await deliveries(receiver.endpointId)).some(({ reason }) => reason !== null), "a failure");
  await stage.pool.query("update webhook_deliveries set failing_since = now() - interval '3 days' where endpoint_id = $1", [
    receiver.endpointId,
  ]);
  await hurry();
  await eventually(() => receiver.got.some(({ type }) => type === "import.completed"), "the next one");
  const statuses = async () => (await deliveries(receiver.endpointId)).map(({ type, status }) => `${type} ${status}`).sort();
  await eventually(async () => (await statuses()).join() === "import.completed delivered,import.started failed", "both settled");
});

test("a replay sends everything since again, the same but for the signature; Send again sends one", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  await stage.record(organisationId);
  const from = new Date(((await stage.pool.query("select now() + interval '1 millisecond' as now")).rows[0] as { now: Date }).now);
  await eventually(() => Date.now() > from.getTime() + 5, "a later moment");
  const { importId } = await stage.record(organisationId);
  await eventually(() => receiver.got.length === 4, "all four");
  await eventually(async () => (await deliveries(endpoint.endpointId)).every(({ status }) => status === "delivered"), "all settled");
  const first = receiver.got.filter(({ data }) => data.importId === importId).map(({ id, body }) => ({ id, body }));
  expect(await replay(stage, endpoint, from)).toBe(2);
  await eventually(() => receiver.got.length === 6, "the replay");
  expect(receiver.got.slice(4).map(({ id, body }) => ({ id, body }))).toEqual(first);
  await eventually(async () => (await deliveries(endpoint.endpointId)).every(({ status }) => status === "delivered"), "all settled");
  const [newest] = await deliveries(endpoint.endpointId);
  await sendAgain(stage.pool, endpoint, newest?.deliveryId ?? "");
  await eventually(() => receiver.got.length === 7, "one more");
  expect(receiver.got[6]?.id).toBe(newest?.eventId);
});

test("an endpoint added after an import gets it by a replay", async () => {
  const told = await stage.record(organisationId);
  const receiver = await stage.receiver(organisationId);
  await stage.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     values ($1, 1, $2, 'activities', 'file', '', 'completed', 100, 2, 1, 1, '', '', 0, '', '', '[]', now(), now(), 4)`,
    [told.importId, organisationId],
  );
  await replay(stage, { organisationId, endpointId: receiver.endpointId }, new Date(0));
  await eventually(() => receiver.got.length === 2, "the replay");
  expect(receiver.got.map(({ id }) => id)).toEqual([told.events[1]?.id, told.events.at(-1)?.id]);
});

test("a worker that stops puts back what is in flight, and the next one sends it", async () => {
  let hang = true;
  const receiver = await stage.receiver(organisationId, () => hang);
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 1, "the first attempt");
  await worker.stop();
  hang = false;
  worker = stage.work({ random: () => 0 });
  await eventually(() => receiver.got.length === 3, "the rest");
  expect(receiver.got[1]?.id).toBe(receiver.got[0]?.id);
});
