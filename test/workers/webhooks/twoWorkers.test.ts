import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { createPost } from "../../../src/adapters/webhooks/post.js";
import { followerName } from "../../../src/commands/webhooks/deliveries.js";
import { logStart } from "../../../src/ports/eventStore.js";
import { createCheckpoints } from "../../../src/projections/running/checkpoints.js";
import type { WebhookWorkerDeps } from "../../../src/workers/webhooks/deps.js";
import { recordBatch } from "../../../src/workers/webhooks/following/runFollower.js";
import { claimDeliveries } from "../../../src/workers/webhooks/sending/claimDeliveries.js";
import { deliver } from "../../../src/workers/webhooks/sending/deliver.js";
import { createOutcomeWriter } from "../../../src/workers/webhooks/sending/outcomes.js";
import { eventually } from "../../support/eventually.js";
import type { Told } from "../../support/importStory.js";
import { openStage, type Stage, signingSecret } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test("a delivery whose event took too long to read is released unsent, since another worker may have claimed it", async () => {
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  const { stream } = await stage.record(organisationId);
  await createCheckpoints(stage.pool, [followerName]);
  for await (const event of stage.eventStore.read(stream, { from: 1n, max: 1 }))
    await recordBatch(
      { pool: stage.pool, organisations: stage.deps, onEndpointsBehind: () => undefined },
      { events: [event], position: event.position, caughtUp: false },
      logStart,
    );
  const deps: WebhookWorkerDeps = {
    ...{ pool: stage.pool, eventStore: stage.eventStore, signingSecret, rules: stage.deps.rules, organisations: stage.deps },
    ...{ logger: pino({ level: "silent" }), signal: new AbortController().signal, workerId: "w0", post: createPost() },
    inTransaction: (work) => transaction(stage.pool, work),
    objectStore: { link: async (key) => key },
  };
  const room = { inAll: 10, further: 10, new: 10, failing: 10 };
  const attempt = async (secondsEarlier: number) => {
    const [claimed] = (await claimDeliveries(deps, room)) ?? [];
    if (!claimed) throw new Error("nothing is due");
    await deliver(deps, { ...claimed, claimStartedAt: claimed.claimStartedAt - secondsEarlier * 1_000 }, createOutcomeWriter(deps));
  };
  await attempt(10.1);
  expect(receiver.got).toEqual([]);
  await eventually(async () => {
    await attempt(5); // where that takes another 5 s, it is released again
    return receiver.got.length > 0;
  }, "an attempt in time");
  expect(receiver.got.map(({ type }) => type)).toEqual(["import.started"]);
});

test("two workers share the deliveries: each is sent once, those of an import in order and never two at the same time", async () => {
  const organisationId = await stage.newOrganisation();
  const open = new Map<string, number>();
  let overlaps = 0;
  let atOnce = 0;
  let held: (() => unknown) | undefined;
  const receiver = await stage.receiver(organisationId, ({ data }, response) => {
    const { importId = "" } = data;
    open.set(importId, (open.get(importId) ?? 0) + 1);
    if ((open.get(importId) ?? 0) > 1) overlaps += 1;
    atOnce = Math.max(atOnce, [...open.values()].filter((count) => count > 0).length);
    const answer = () => {
      open.set(importId, (open.get(importId) ?? 0) - 1);
      response.end();
    };
    if (atOnce > 1) held = void held?.();
    // Until two have overlapped, a request is answered when another comes. Only the first is not: a new endpoint gets one at a time.
    const isHeld = atOnce < 2 && receiver.got.length > 1;
    const timer = setTimeout(answer, isHeld ? 5_000 : 20);
    if (isHeld) held = () => [clearTimeout(timer), answer()];
    return true;
  });
  const posts = [0, 0];
  for (const n of [0, 1]) {
    const worker = stage.work({
      post_: {
        lookUp: async (host) => {
          posts[n] = (posts[n] ?? 0) + 1;
          return [host];
        },
      },
    });
    onTestFinished(worker.stop);
  }
  const told: Told[] = [];
  const bothWork = async () => {
    told.push(...(await Promise.all(Array.from({ length: 5 }, () => stage.record(organisationId)))));
    return told.length >= 40 && Math.min(...posts) > 0;
  };
  await eventually(bothWork, "deliveries by both");
  await eventually(() => receiver.got.length >= told.length * 2, "everything");
  const waiting = async () => (await stage.pool.query("select from webhook_deliveries where status = 'waiting'")).rowCount;
  await eventually(async () => (await waiting()) === 0, "everything ended");
  expect(receiver.got).toHaveLength(told.length * 2);
  for (const { importId, events } of told) {
    const own = receiver.got.filter(({ data }) => data.importId === importId);
    expect(own.map(({ id }) => id)).toEqual([events[1]?.id, events.at(-1)?.id]);
  }
  expect(overlaps).toBe(0);
  expect(atOnce).toBeGreaterThan(1);
  expect(atOnce).toBeLessThanOrEqual(4);
});
