// Endpoints that are paused or removed, deliveries that are given up, and deliveries that are sent again.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pauseWebhook, removeWebhook, resumeWebhook } from "../../../src/commands/organisations/webhooks.js";
import { releaseDeliveries, resendDelivery } from "../../../src/commands/webhooks/deliveries.js";
import { replayEvents } from "../../../src/commands/webhooks/replay.js";
import { listWebhooks } from "../../../src/queries/organisations/webhooks.js";
import { eventually } from "../../support/eventually.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
beforeAll(async () => {
  stage = await openStage();
  organisationId = await stage.newOrganisation();
  stage.work({ random: () => 0 });
});
afterAll(() => stage?.close());
afterEach(async () => {
  for (const { endpointId } of await listWebhooks(organisationId, stage.pool))
    await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
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

test("an answer of 410 removes the endpoint, and the event names the worker as the one who did it", async () => {
  const receiver = await stage.receiver(organisationId, (_, response) => {
    response.statusCode = 410;
    return undefined;
  });
  await stage.record(organisationId);
  await eventually(
    async () => !(await listWebhooks(organisationId, stage.pool)).some(({ endpointId }) => endpointId === receiver.endpointId),
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
    await stage.hurry();
    await eventually(() => receiver.got.length >= attempts, "another attempt");
  };
  const paused = async () => (await listWebhooks(organisationId, stage.pool)).find((each) => each.endpointId === receiver.endpointId);
  await eventually(
    async () => (await stage.deliveries(organisationId, receiver.endpointId)).some(({ reason }) => reason !== null),
    "the first failure",
  );
  await age("2 days 23 hours");
  await again(2);
  await eventually(
    async () => (await stage.deliveries(organisationId, receiver.endpointId)).some(({ attempts }) => attempts.length === 2),
    "the second failure",
  );
  expect((await paused())?.pausedAt).toBeNull();
  await age("3 days");
  await again(3);
  await eventually(async () => (await paused())?.pausedAt !== null, "the pause");
  expect((await paused())?.pausedBecause).toBe("No delivery has succeeded for three days.");
  expect((await stage.deliveries(organisationId, receiver.endpointId)).map(({ status }) => status)).toEqual(["waiting", "waiting"]);
});

test("a delivery that fails for three days is given up, and the next delivery of its import is sent", async () => {
  const receiver = await stage.receiver(organisationId, ({ type }, response) => {
    if (type === "import.started") response.statusCode = 500;
    return undefined;
  });
  await stage.record(organisationId);
  await eventually(
    async () => (await stage.deliveries(organisationId, receiver.endpointId)).some(({ reason }) => reason !== null),
    "a failure",
  );
  await stage.pool.query("update webhook_deliveries set failing_since = now() - interval '3 days' where endpoint_id = $1", [
    receiver.endpointId,
  ]);
  await stage.hurry();
  await eventually(() => receiver.got.some(({ type }) => type === "import.completed"), "the next one");
  const statuses = async () =>
    (await stage.deliveries(organisationId, receiver.endpointId)).map(({ type, status }) => `${type} ${status}`).sort();
  await eventually(async () => (await statuses()).join() === "import.completed delivered,import.started failed", "both ended");
});

test("a replay sends all events since a moment again, with the same ids and bodies; Send again repeats one delivery", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const recordedAt = async (stream: string) => (await stage.eventStore.last(stream))?.recordedAt ?? new Date(0);
  const earlier = await recordedAt((await stage.record(organisationId)).stream);
  let from = earlier;
  const isLater = async () => {
    from = await recordedAt(`organisation-${await stage.newOrganisation()}`);
    return from > earlier;
  };
  await eventually(isLater, "a later moment by the event store's clock");
  const { importId } = await stage.record(organisationId);
  await eventually(() => receiver.got.length === 4, "all four");
  await eventually(
    async () => (await stage.deliveries(organisationId, endpoint.endpointId)).every(({ status }) => status === "delivered"),
    "all ended",
  );
  const first = receiver.got.filter(({ data }) => data.importId === importId).map(({ id, body }) => ({ id, body }));
  expect(await replayEvents(stage, endpoint, from)).toBe(2);
  await eventually(() => receiver.got.length === 6, "the replay");
  expect(receiver.got.slice(4).map(({ id, body }) => ({ id, body }))).toEqual(first);
  await eventually(
    async () => (await stage.deliveries(organisationId, endpoint.endpointId)).every(({ status }) => status === "delivered"),
    "all ended",
  );
  const [newest] = await stage.deliveries(organisationId, endpoint.endpointId);
  await resendDelivery(stage.pool, endpoint, newest?.deliveryId ?? "");
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
  await replayEvents(stage, { organisationId, endpointId: receiver.endpointId }, new Date(0));
  const own = () => receiver.got.filter(({ data }) => data.importId === told.importId).map(({ id }) => id);
  await eventually(() => own().length === 2, "the replay");
  expect(own()).toEqual([told.events[1]?.id, told.events.at(-1)?.id]);
});
