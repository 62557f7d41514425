import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";
import { createS3ObjectStore } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { beforeChunks } from "../../support/stores/chunkAppends.js";
import { startTestEventStore } from "../../support/stores/eventStore.js";
import { startTestS3 } from "../../support/stores/stores.js";
import { activities, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(startTestEventStore);
});
afterAll(() => stage.close());

test("the event store dies in the middle of an import: the import waits, goes on, and has every row once", async () => {
  const importId = await stage.push(await stage.organisation("died"), "activities", activities(6_000));
  let appends = 0;
  let dead = false;
  const impatient = connectEventStore({ address: stage.store.address, logger: stage.logger, deadlineMs: 4_000, attempts: 2 });
  onTestFinished(impatient.close);
  const watched = beforeChunks(impatient, async () => {
    appends += 1;
    if (appends !== 3 || dead) return;
    await stage.store.kill();
    await stage.pool.query("update import_queue set not_before = null");
    dead = true;
  });
  onTestFinished(stage.start({ eventStore: watched }).stop);
  try {
    await until(async () => {
      if (!dead) return false;
      const waiting = await stage.pool.query("select 1 from import_queue where import_id = $1 and not_before is not null", [importId]);
      return waiting.rowCount === 1;
    });
  } finally {
    await stage.store.restart();
  }
  const events = await stage.ended(importId);
  expect(events.slice(2, -1).map((event) => (event.data as { row: number }).row)).toEqual(
    Array.from({ length: 6_000 }, (_, index) => index + 2),
  );
  expect(events.at(-1)).toMatchObject({ type: "ImportCompleted", data: { counts: { received: 6_000, processed: 6_000, failed: 0 } } });
});

test.each([2, 3_000])("an import of %d rows waits while the object store is not available, and does not fail", async (rows) => {
  const importId = await stage.push(await stage.organisation(`away${rows}`), "activities", activities(rows));
  let away = 2;
  const answer = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (--away >= 0) throw new StoreUnavailable("object store", "no answer");
    return ask();
  };
  const objectStore: ObjectStore = {
    ...stage.objectStore,
    fetch: async (key, path) => answer(() => stage.objectStore.fetch(key, path)),
    read: async (key) => answer(() => stage.objectStore.read(key)),
  };
  onTestFinished(stage.start({ objectStore }).stop);
  const events = await stage.ended(importId);
  expect(away).toBeLessThan(0);
  expect(events.map(({ type }) => type).filter((type) => type !== "RowAccepted")).toEqual([
    "ImportRequested",
    "ImportStarted",
    "ImportCompleted",
  ]);
  expect(events).toHaveLength(rows + 3);
});

test("a worker with a wrong bucket leaves the import to other workers, and creates no bucket", async () => {
  const s3 = await startTestS3();
  onTestFinished(s3.close);
  const mistaken = createS3ObjectStore({ ...s3.options, bucket: "waybill-mistaken" });
  onTestFinished(mistaken.close);
  const importId = await stage.push(await stage.organisation("bucket"), "activities", activities(2));
  const worker = stage.start({ objectStore: mistaken });
  onTestFinished(worker.stop);
  const waiting = "select 1 from import_queue where import_id = $1 and not_before is not null and attempts = 0";
  await until(async () => (await stage.pool.query(waiting, [importId])).rowCount === 1);
  await worker.stop();
  await expect(mistaken.ping()).rejects.toMatchObject({ fault: "absent" });
  await stage.pool.query("update import_queue set not_before = null where import_id = $1", [importId]);
  onTestFinished(stage.start().stop);
  expect((await stage.ended(importId)).at(-1)?.type).toBe("ImportCompleted");
});

test("an import whose file is gone fails, since no retry brings it back", async () => {
  const importId = await stage.push(await stage.organisation("lost"), "activities", activities(2));
  for await (const { key } of stage.objectStore.list("uploads/lost/")) await stage.objectStore.remove(key);
  onTestFinished(stage.start().stop);
  const events = await stage.ended(importId);
  expect(events.at(-1)).toMatchObject({ type: "ImportFailed", data: { reason: "The submitted file is no longer stored. Send it again." } });
});

test("an import that a bug stops on every attempt fails in the end", async () => {
  const organisation = await stage.organisation("poison");
  const importId = await stage.push(organisation, "activities", activities(2));
  const worker = stage.start({
    catalogues: async () => {
      await stage.pool.query("update import_queue set attempts = greatest(attempts, 12) where import_id = $1", [importId]);
      throw new TypeError("a bug");
    },
  });
  onTestFinished(worker.stop);
  await until(
    async () =>
      (await stage.pool.query("select 1 from import_queue where import_id = $1 and not_before is not null", [importId])).rowCount === 1,
  );
  await stage.pool.query("update import_queue set not_before = null where import_id = $1", [importId]);
  const events = await stage.ended(importId);
  expect(events.at(-1)).toMatchObject({ type: "ImportFailed", data: { reason: expect.stringContaining("fault in the service") } });
});

test("a worker that is stopped finishes its chunk, gives its turn back at once, and leaves nothing on disk", async () => {
  const organisation = await stage.organisation("stopping");
  const importId = await stage.push(organisation, "activities", activities(6_500));
  let chunks = 0;
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  const worker = stage.start({ eventStore: beforeChunks(stage.eventStore, () => (++chunks > 1 ? gate : undefined)) });
  onTestFinished(worker.stop);
  onTestFinished(goOn); // before the stop, which waits for the chunk that is held back
  await until(() => chunks > 1);
  const stopped = worker.stop();
  goOn();
  await stopped;
  const { rows } = await stage.pool.query("select worker, expires_at from organisation_turns where organisation_id = $1", [organisation]);
  expect(rows).toEqual([{ worker: null, expires_at: null }]);
  expect((await stage.eventStore.last(`import-${importId}`))?.type).toBe("RowAccepted");
  expect(await stage.leftovers()).toEqual([]);
  onTestFinished(stage.start().stop);
  expect((await stage.ended(importId)).at(-1)).toMatchObject({ type: "ImportCompleted", data: { counts: { received: 6_500 } } });
});
