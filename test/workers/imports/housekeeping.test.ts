import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { cancelImport } from "../../../src/commands/imports/endImport.js";
import { reservePlace } from "../../../src/commands/imports/queue/places.js";
import { reconcileQueue } from "../../../src/workers/imports/turns/reconcileQueue.js";
import { activities, openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(() => stage.pool.query("truncate import_queue, imports, checkpoints"));
afterAll(() => stage.close());

const queue = async () =>
  (await stage.pool.query('select import_id as "importId", position is not null as confirmed from import_queue order by position')).rows;
const age = (seconds: number) =>
  stage.pool.query("update import_queue set position = null, reserved_at = now() - make_interval(secs => $1)", [seconds]);

test("a queue place that was never confirmed is confirmed after a minute when its import is in the log, and removed when it is not", async () => {
  const organisation = await stage.organisation("reserving");
  const importId = await stage.push(organisation, "activities", activities(1));
  await reservePlace(stage.pool, { organisationId: organisation, importId: randomUUID(), kind: "activities", file: { sha256: "" } }, 5);
  await age(50);
  await reconcileQueue(stage.deps());
  expect(await queue()).toHaveLength(2); // both are less than a minute old
  await age(70);
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([{ importId, confirmed: true }]);
});

test("the unconfirmed place of an import that has been cancelled is removed, also where the process that cancelled it was killed before that", async () => {
  const organisation = await stage.organisation("cancelling");
  const importId = await stage.push(organisation, "activities", activities(1));
  await cancelImport(stage.deps(), { organisationId: organisation, importId, by: { kind: "key", id: "test" }, now: new Date() });
  expect(await queue()).toEqual([]);
  await reservePlace(stage.pool, { organisationId: organisation, importId, kind: "activities", file: { sha256: "" } }, 5);
  await age(20);
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([]);
});

test("an unfinished import without a queue place is queued again; one that has ended is not", async () => {
  const organisation = await stage.organisation("missing");
  const shownId = await stage.push(organisation, "activities", activities(1));
  const endedId = await stage.push(organisation, "activities", activities(1));
  const worker = stage.start();
  onTestFinished(worker.stop);
  await stage.ended(shownId);
  await stage.ended(endedId);
  await worker.stop();
  const lostId = await stage.push(organisation, "activities", activities(1));
  await stage.pool.query("truncate import_queue");
  await stage.pool.query("update imports set submitted_at = now() - interval '1 hour'");
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([{ importId: lostId, confirmed: true }]);
  await stage.pool.query("update imports set recorded_rows = null"); // from here on only the streams show which have ended
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([{ importId: lostId, confirmed: true }]);
});
