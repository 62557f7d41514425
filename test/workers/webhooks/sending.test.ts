import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { changeWebhook, removeWebhook, rotateWebhook } from "../../../src/commands/organisations/webhooks.js";
import { enqueuePing } from "../../../src/commands/webhooks/deliveries.js";
import { replayEvents } from "../../../src/commands/webhooks/replay.js";
import { streamOf } from "../../../src/events/streams.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { listWebhooks } from "../../../src/queries/organisations/webhooks.js";
import { eventually } from "../../support/eventually.js";
import { activity, reversal, tell } from "../../support/importStory.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
let worker: { stop(): Promise<void> };
beforeAll(async () => {
  stage = await openStage();
  organisationId = await stage.newOrganisation();
  worker = stage.work({ random: () => 0 });
});
afterAll(() => stage?.close());
afterEach(async () => {
  for (const { endpointId } of await listWebhooks(organisationId, stage.pool))
    await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
});

test("an import's start and end arrive once each, in order, signed, under their events' ids, as the API shows the import", async () => {
  await stage.record(organisationId); // before there is an endpoint: never sent
  const receiver = await stage.receiver(organisationId);
  const report = `reports/x/1.xlsx`;
  const sameFileAs = randomUUID();
  const { importId, events } = await stage.record(organisationId, { report, sourceDetails: "march.csv", sameFileAs });
  await eventually(() => receiver.got.length === 2, "two deliveries");
  expect(receiver.forged).toEqual([]);
  expect(receiver.got.map(({ id, type }) => ({ id, type }))).toEqual([
    { id: events[1]?.id, type: "import.started" },
    { id: events.at(-1)?.id, type: "import.completed" },
  ]);
  const shared = {
    ...{ importId, source: "file", sourceDetails: "march.csv", submittedAt: "2026-03-01T10:00:00.000Z", errorMessage: null },
    reversed: null,
    unusual: null,
    sameFileAs,
  };
  expect(receiver.got[0]).toMatchObject({ timestamp: "2026-03-01T10:00:00.000Z" });
  expect(receiver.got[0]?.data).toEqual({
    ...shared,
    ...{ status: "processing", progress: 0, counts: { received: 0, processed: 0, failed: 0 } },
    ...{ startedAt: "2026-03-01T10:00:00.000Z", finishedAt: null, errorReportUrl: null, reversed: null },
  });
  expect(receiver.got[1]?.data).toEqual({
    ...shared,
    ...{ status: "completed", progress: 100, counts: { received: 2, processed: 1, failed: 1 } },
    ...{ startedAt: "2026-03-01T10:00:00.000Z", finishedAt: "2026-03-01T10:00:00.000Z" },
    ...{ errorReportUrl: expect.stringContaining(report), reversed: null },
  });
});

test("reversals come after the import's end, each with the import as it was after it, and a replay says the same", async () => {
  const receiver = await stage.receiver(organisationId);
  const { importId } = await stage.record(organisationId, { rows: [1, 2, 3].map(() => ({ accept: activity() })) });
  const events = [
    reversal({ importId, organisationId }, { rows: [[3, 3]] }),
    reversal({ importId, organisationId }, { rows: "all", count: 2, reason: "all of it" }),
  ];
  await stage.eventStore.append(streamOf.reversals(importId), events, noStream);
  await eventually(() => receiver.got.length === 4, "four deliveries");
  expect(receiver.got.map(({ id, type }) => [type, id]).slice(1)).toEqual([
    ["import.completed", expect.anything()],
    ...events.map(({ id }) => ["import.reversed", id]),
  ]);
  const at = "2026-03-02T10:00:00.000Z";
  expect(receiver.got.slice(2).map(({ data }) => data)).toMatchObject([
    {
      ...{ importId, status: "completed", reversed: { rows: 1, all: false, at } },
      reversal: { reason: "sent twice", count: 1, all: false, rows: [[3, 3]], at },
    },
    {
      ...{ importId, counts: { processed: 3 }, reversed: { rows: 3, all: true, at } },
      reversal: { reason: "all of it", count: 2, all: true, rows: null },
    },
  ]);
  await replayEvents(stage, { organisationId, endpointId: receiver.endpointId }, new Date(0));
  const again = () => receiver.got.filter(({ data }) => data["importId"] === importId);
  await eventually(() => again().length === 8, "the replay");
  expect(
    again()
      .slice(4)
      .map(({ id, body }) => [id, body]),
  ).toEqual(
    again()
      .slice(0, 4)
      .map(({ id, body }) => [id, body]),
  );
});

test("the ends of a failed and of a cancelled import are sent with the progress and counts until then", async () => {
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
  await enqueuePing(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
  await eventually(() => receiver.got.some(({ type }) => type === "ping"), "the ping");
  // Deliveries are queued in the order of the log: once this one is, all earlier ones are queued too.
  const { importId: last } = await stage.record(organisationId, { end: "failed" });
  const all = () => stage.deliveries(organisationId, receiver.endpointId);
  await eventually(() => receiver.got.some(({ data }) => data.importId === last), "the last delivery");
  await eventually(async () => (await all()).every(({ status }) => status === "delivered"), "the end of all that is queued");
  expect(await all()).toHaveLength(3);
  expect(receiver.got.map(({ type, data }) => [type, data.importId])).toEqual([
    ["import.failed", importId],
    ["ping", undefined],
    ["import.failed", last],
  ]);
});

test("a delivery that fails holds back only the later ones of its import, and is sent again under the same id", async () => {
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
  await stage.hurry();
  await eventually(() => of(held).some(({ type }) => type === "import.completed"), "the held one");
  expect(of(held).at(-1)?.type).toBe("import.completed");
  expect(
    new Set(
      of(held)
        .slice(0, -1)
        .map(({ id }) => id),
    ).size,
  ).toBe(1);
  const [retried] = (await stage.deliveries(organisationId, receiver.endpointId)).filter(({ attempts }) => attempts.length > 1);
  expect(retried?.status).toBe("delivered");
  expect(retried?.attempts[0]).toMatchObject({ status: 500, reason: "It answered 500" });
  expect(retried?.attempts.at(-1)).toMatchObject({ status: 200, reason: null, answer: "thank you" });
});

test("an event that is recorded while the previous one is being sent is due at once, and is sent when the previous one was answered", async () => {
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
  await eventually(async () => (await stage.deliveries(organisationId, receiver.endpointId)).length === 2, "the end, to be told");
  const { rows } = await stage.pool.query("select due_at <= now() as due from webhook_deliveries where event_id = $1", [events[2]?.id]);
  expect(rows).toEqual([{ due: true }]);
  // The first ping makes the endpoint a working one, which may get more than one at a time. What is claimed with the second comes before the third.
  for (let pings = 1; pings <= 3; pings += 1) {
    await enqueuePing(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
    await eventually(() => receiver.got.filter(({ type }) => type === "ping").length === pings, "the ping");
  }
  expect(receiver.got.map(({ type }) => type)).toEqual(["import.started", "ping", "ping", "ping"]);
  arrive();
  await eventually(() => receiver.got.at(-1)?.type === "import.completed", "the end");
});

test("a new secret signs at once, and the previous one for a day more", async () => {
  const receiver = await stage.receiver(organisationId);
  const before = receiver.secret;
  const { secret } = await rotateWebhook(stage.deps, { organisationId, endpointId: receiver.endpointId }, origin);
  expect(secret).not.toBe(before);
  const tell = async (kept: string, count: number) => {
    receiver.secret = kept;
    await enqueuePing(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
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

test("after two rotations in a day all three secrets sign; a day after its rotation a secret no longer does; at most five sign", async () => {
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const secrets = [receiver.secret];
  for (let n = 0; n < 2; n += 1) secrets.push((await rotateWebhook(stage.deps, endpoint, origin)).secret);
  const signs = async (secret: string) => {
    receiver.secret = secret;
    const [got, forged] = [receiver.got.length, receiver.forged.length];
    await enqueuePing(stage.pool, endpoint, crypto.randomUUID());
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

test("a worker that stops releases the delivery in flight, and the next worker sends it", async () => {
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
