import { afterAll, beforeAll, expect, test } from "vitest";
import { removePlace } from "../../src/commands/imports/queue/places.js";
import { requireImport } from "../../src/queries/imports/importStatus.js";
import { activity, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

const progressOf = async (importId: string) => {
  const read = await requireImport("acme", { kind: "activities", importId }, model);
  return [read.view.status, read.view.counts.received, read.view.progress];
};

/** Records ten rows, of which the tables have five, and calls `work` while no projector runs. */
async function halfShown(end: "running" | "completed", work: (importId: string) => Promise<void>): Promise<void> {
  const { importId, stream, events } = tell({ kind: "activities", end, rows: Array.from({ length: 10 }, () => ({ accept: activity() })) });
  const { revision } = await model.eventStore.append(stream, events.slice(0, 7), -1n);
  await model.project();
  await model.withoutProjector(async () => {
    await model.eventStore.append(stream, events.slice(7), revision);
    await work(importId);
  });
}

const queue = (importId: string, progress: number, allRows: number | null) =>
  model.pool.query(
    "insert into import_queue (import_id, organisation_id, position, progress, all_rows, started) values ($1, 'acme', 1, $2, $3, true)",
    [...[importId, progress, allRows]],
  );

test("the progress of a running import is that of the rows that are counted beside it, though the worker is further", async () => {
  await halfShown("running", async (importId) => {
    await queue(importId, 99, 10);
    expect(await progressOf(importId)).toEqual(["processing", 5, 54]);
  });
});

test("an import that has completed, but not in the tables yet, shows the progress of the rows that the tables have", async () => {
  await halfShown("completed", async (importId) => {
    await removePlace(model.pool, { importId, rows: 10 });
    expect(await progressOf(importId)).toEqual(["processing", 5, 54]);
    model.startProjector();
    await model.project();
    expect(await progressOf(importId)).toEqual(["completed", 10, 100]);
    await model.stopProjector();
  });
});

test("until the file has been read once, the progress is that of the reading", async () => {
  const { importId } = await model.record({ kind: "activities", end: "running" });
  await model.project();
  await queue(importId, 7, null);
  expect(await progressOf(importId)).toEqual(["processing", 0, 7]);
});
