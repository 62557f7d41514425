import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cancelImport } from "../../../src/commands/imports/endImport.js";
import { beforeChunks } from "../../support/stores/chunkAppends.js";
import { activities, openStage, type Stage, until } from "../../workers/imports/stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const deps = () => ({ pool: stage.pool, eventStore: stage.eventStore });
const cancel = (organisationId: string, importId: string, more: Partial<Parameters<typeof cancelImport>[1]> = {}) =>
  cancelImport(deps(), { organisationId, importId, by: { kind: "key", id: "test" }, now: new Date("2026-03-01T00:00:00Z"), ...more });
const places = async () => (await stage.pool.query("select 1 from import_queue")).rowCount;

test("a waiting import is cancelled and its place in the queue is free at once; cancelling again changes nothing", async () => {
  const organisation = await stage.organisation("waiting");
  const importId = await stage.push(organisation, "activities", activities(2));
  await cancel(organisation, importId);
  await cancel(organisation, importId, { by: { kind: "cli" as const, id: "operator" } });
  const events = await stage.events(importId);
  expect(events.map((event) => event.type)).toEqual(["ImportRequested", "ImportCancelled"]);
  expect(events[1]?.data).toEqual({ importId, by: { kind: "key", id: "test" }, progress: 0, at: "2026-03-01T00:00:00.000Z" });
  expect(await places()).toBe(0);
});

test("cancelling another organisation's import, one of the other kind or a made-up id is refused as not found", async () => {
  const organisation = await stage.organisation("owner");
  const importId = await stage.push(organisation, "activities", activities(2));
  for (const attempt of [
    () => cancel("somebody-else", importId),
    () => cancel(organisation, importId, { kind: "shipments" }),
    () => cancel(organisation, "00000000-0000-4000-8000-000000000000"),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "notFound", message: "There is no import with this id" });
  }
  await cancel("any", importId, { organisationId: undefined, by: { kind: "cli" as const, id: "operator" } });
  expect((await stage.events(importId)).at(-1)?.data).toMatchObject({ by: { kind: "cli" as const, id: "operator" } });
});

test("a running import stops, its last event names the caller that cancelled it, and the next import runs", async () => {
  const organisation = await stage.organisation("running");
  const importId = await stage.push(organisation, "activities", activities(6_500));
  const nextId = await stage.push(organisation, "activities", activities(1));
  let chunks = 0;
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  const worker = stage.start({ eventStore: beforeChunks(stage.eventStore, () => (++chunks > 1 ? gate : undefined)) });
  onTestFinished(worker.stop);
  onTestFinished(goOn); // before the stop, which waits for the chunk that is held back
  await until(() => chunks > 1);
  await cancel(organisation, importId);
  const rows = (await stage.eventStore.last(`import-${importId}`))?.revision ?? 0n;
  expect(rows).toBeGreaterThan(1_000n);
  goOn();
  expect((await stage.ended(nextId)).at(-1)?.type).toBe("ImportCompleted");
  await worker.stop();
  const last = await stage.eventStore.last(`import-${importId}`);
  expect(last).toMatchObject({ type: "ImportCancelled", revision: rows, data: { by: { kind: "key", id: "test" } } });
  expect(await places()).toBe(0);
});

test("a cancellation whose process died before recording it is recorded by the worker", async () => {
  const organisation = await stage.organisation("orphaned");
  const importId = await stage.push(organisation, "activities", activities(3));
  await stage.pool.query("update import_queue set cancel_requested = true where import_id = $1", [importId]);
  onTestFinished(stage.start().stop);
  const events = await stage.ended(importId);
  expect(events.map((event) => event.type)).toEqual(["ImportRequested", "ImportCancelled"]);
  expect(events[1]?.data).toMatchObject({ by: { kind: "worker" } });
  await until(async () => (await places()) === 0);
});
