import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { reservePlace } from "../../../src/commands/imports/importQueue.js";
import { reconcileQueue } from "../../../src/workers/imports/turns/reconcileQueue.js";
import { activities, openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(() => stage.pool.query("truncate import_queue, ended_imports, imports, checkpoints"));
afterAll(() => stage.close());

const queue = async () =>
  (await stage.pool.query('select import_id as "importId", position is not null as confirmed from import_queue order by position')).rows;
const age = (seconds: number) =>
  stage.pool.query("update import_queue set position = null, reserved_at = now() - make_interval(secs => $1)", [seconds]);

/** Adds the row that the projection would write for the import. */
async function projected(importId: string, organisationId: string, status: string, fileKey = "uploads/x/y") {
  await stage.pool.query(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                          file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, revision)
     values ($1, $5, $2, 'activities', 'file', '', $3, 0, 0, 0, 0, $4, '', 0, '', '', '[]', now() - interval '1 hour', 0)`,
    [importId, organisationId, status, fileKey, Math.floor(Math.random() * 1e12)],
  );
}

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
  await projected(shownId, organisation, "completed");
  await projected(endedId, organisation, "processing"); // the projection is late
  await projected(lostId, organisation, "queued");
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([{ importId: lostId, confirmed: true }]);
  const remembered = await stage.pool.query('select import_id as "importId" from ended_imports');
  expect(remembered.rows).toEqual([{ importId: endedId }]); // the end of the other one is projected
  await stage.pool.query("truncate ended_imports"); // from here on only the stream shows that it has ended
  await reconcileQueue(stage.deps());
  expect(await queue()).toEqual([{ importId: lostId, confirmed: true }]);
});
