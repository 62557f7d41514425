// An organisation's imports run in the order of the log, also when the queue in Postgres has lost that order.
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { activities, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.pool.query("truncate import_queue, imports"));
afterAll(() => stage.close());

const push = (organisation: string) => stage.push(organisation, "activities", activities(2));

/** Runs a worker until the imports have ended. Returns them in the order in which they were started. */
async function runAll(importIds: readonly string[]): Promise<string[]> {
  const worker = stage.start();
  try {
    for (const importId of importIds) await stage.ended(importId);
  } finally {
    await worker.stop();
  }
  const starts = await Promise.all(
    importIds.map(async (importId) => {
      for await (const { position } of stage.eventStore.read(streamOf.import(importId), { from: 1n, max: 1 }))
        return { importId, at: position.commit };
      throw new Error("not started");
    }),
  );
  return starts.toSorted((one, other) => Number(one.at - other.at)).map(({ importId }) => importId);
}

test("a push whose place was never confirmed runs before those pushed after it", async () => {
  const organisation = await stage.organisation("unconfirmed");
  const older = await push(organisation);
  const newer = await push(organisation);
  // An API process that is killed between the append and the confirmation leaves it so.
  await stage.pool.query("update import_queue set position = null, reserved_at = now() - interval '11 seconds' where import_id = $1", [
    older,
  ]);
  expect(await runAll([older, newer])).toEqual([older, newer]);
});

test("an older push whose place is not confirmed yet is not run, and the newer one waits for it", async () => {
  const organisation = await stage.organisation("unanswered");
  const older = await push(organisation);
  const newer = await push(organisation);
  const { rows } = await stage.pool.query("select position from import_queue where import_id = $1", [older]);
  await stage.pool.query("update import_queue set position = null, reserved_at = now() where import_id = $1", [older]);
  onTestFinished(stage.start().stop);
  const waits = () => stage.pool.query("select 1 from import_queue where import_id = $1 and not_before is not null", [newer]);
  await until(async () => (await waits()).rowCount === 1);
  expect([await stage.events(older), await stage.events(newer)].map((events) => events.length)).toEqual([1, 1]);
  await stage.pool.query("update import_queue set position = $2 where import_id = $1", [older, rows[0]?.position]);
  await stage.ended(newer);
  expect((await stage.events(older)).at(-1)?.type).toBe("ImportCompleted");
});

test("pushes that were lost with the queue run before those pushed after them, oldest first", async () => {
  const organisation = await stage.organisation("forgotten");
  const [first, second] = [await push(organisation), await push(organisation)];
  await stage.pool.query("truncate import_queue");
  await stage.pool.query("update imports set submitted_at = now() - interval '20 seconds'");
  const third = await push(organisation);
  expect(await runAll([first, second, third])).toEqual([first, second, third]);
});

test("neither an import that has ended and is not projected yet nor one that is not in the log holds up a later import", async () => {
  const organisation = await stage.organisation("late");
  const ended = await push(organisation);
  await runAll([ended]);
  await stage.pool.query("update imports set recorded_rows = null, submitted_at = now() - interval '20 seconds'");
  await stage.pool.query("insert into import_queue (import_id, organisation_id) values (gen_random_uuid(), $1)", [organisation]);
  const next = await push(organisation);
  expect(await runAll([next])).toEqual([next]);
});
