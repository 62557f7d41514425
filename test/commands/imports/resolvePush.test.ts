// What the API process does after it has answered a push with 503.
import type { Pool } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { resolvePushAfter503 } from "../../../src/commands/imports/resolvePush.js";
import type { ImportRequested } from "../../../src/events/importEvents.js";
import { streamOf } from "../../../src/events/streams.js";
import { tell } from "../../support/importStory.js";
import { openStage, type Stage, until } from "../../workers/imports/stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** A database that cannot be reached, and the lines logged about it. */
function outage() {
  const said: { level: number; msg: string; importId?: string }[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void said.push(JSON.parse(line)) });
  const pool = { query: () => Promise.reject(new Error("the database is away")) } as unknown as Pool;
  return { said, logger, pool };
}

async function landed(at: string): Promise<ImportRequested> {
  const told = tell({ kind: "activities", end: "queued", at });
  await stage.eventStore.append(told.stream, told.events, -1n);
  return JSON.parse(told.events[0]?.json ?? "") as ImportRequested;
}

const lastOf = async ({ importId }: ImportRequested) =>
  (await stage.eventStore.last(streamOf.import(importId))) as { type: string; data: { at: string } };

test("a push that was answered 503 but had landed is cancelled, with the time of the cancellation", async () => {
  const request = await landed("2026-03-01T10:00:00.000Z");
  const before = (await stage.pool.query<{ now: Date }>("select now()")).rows[0]?.now.getTime() ?? 0;
  await resolvePushAfter503({ ...stage, stopped: undefined }, request);
  const cancellation = await lastOf(request);
  expect(cancellation).toMatchObject({ type: "ImportCancelled", data: { reason: "the push was answered 503" } });
  expect(Date.parse(cancellation.data.at)).toBeGreaterThanOrEqual(before);
});

test("the cancellation is recorded also while the database is away, and the failed database call is logged", async () => {
  const request = await landed("2026-03-01T10:00:00.000Z");
  const { said, ...away } = outage();
  const stop = new AbortController();
  const resolving = resolvePushAfter503({ ...away, eventStore: stage.eventStore, stopped: stop.signal }, request);
  onTestFinished(async () => {
    stop.abort();
    await resolving;
  });
  await until(async () => (await lastOf(request)).type === "ImportCancelled");
  stop.abort();
  await resolving;
  expect(Date.parse((await lastOf(request)).data.at)).toBeGreaterThan(Date.parse(request.at));
  expect(said[0]).toMatchObject({ level: 40, importId: request.importId, msg: expect.stringContaining("a push that was answered 503") });
});

test("a push that cannot be resolved in time is given up, and this is logged as an error", async () => {
  const { said, ...away } = outage();
  const request = await landed("2026-03-01T10:00:00.000Z");
  await resolvePushAfter503({ ...away, eventStore: stage.eventStore, resolveWithinMs: 600 }, request);
  expect(said.map(({ level }) => level)).toEqual([40, ...said.slice(1, -1).map(() => 40), 50]);
  expect(said.at(-1)).toMatchObject({ importId: request.importId, msg: expect.stringContaining("given up") });
});

test("an API process that has stopped does not try again, and logs nothing", async () => {
  const { said, ...away } = outage();
  const request = await landed("2026-03-01T10:00:00.000Z");
  await resolvePushAfter503({ ...away, eventStore: stage.eventStore, stopped: AbortSignal.abort() }, request);
  expect(said).toEqual([]);
});
