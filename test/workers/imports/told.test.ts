// A worker is told of queued and cancelled imports. Where it is not told, it finds them by asking.
import type { Pool } from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { openNotices } from "../../../src/adapters/postgres/notices.js";
import { cancelPlace, removePlace } from "../../../src/commands/imports/queue/places.js";
import { claimTurn, type Turn } from "../../../src/commands/imports/queue/turns.js";
import { channels, type Notices, noNotices } from "../../../src/ports/notices.js";
import { holdTurn } from "../../../src/workers/imports/turns/holdTurn.js";
import { activities, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.pool.query("delete from import_queue"));
afterAll(() => stage.close());

async function listening(): Promise<Notices> {
  const stop = new AbortController();
  const { signal } = stop;
  const notices = openNotices({ url: stage.databaseUrl, applicationName: "told", channels: Object.values(channels), signal });
  onTestFinished(async () => {
    stop.abort();
    await notices.closed;
  });
  await until(notices.areArriving);
  return notices;
}

let turns = 0;

async function heldTurn(notices: Notices, pool: Pool = stage.pool) {
  const importId = `00000000-0000-4000-8000-${String(++turns).padStart(12, "0")}`;
  const organisationId = await stage.organisation(`held-${turns}`);
  await stage.pool.query("insert into import_queue (import_id, organisation_id, position) values ($1, $2, 1)", [importId, organisationId]);
  const turn = (await claimTurn(stage.pool, "w")) as Turn;
  const { signal: stop } = new AbortController();
  const log: string[] = [];
  const logger = pino({}, { write: (line: string) => void log.push(line) });
  const held = holdTurn({ pool, turn, notices, stop, logger, claimStartedAt: performance.now() });
  onTestFinished(async () => void (await removePlace(stage.pool, { importId, rows: 0 }, turn)));
  onTestFinished(held.stopHeartbeats);
  const isStopped = () => {
    try {
      held.check();
      return false;
    } catch (error) {
      return (error as Error).message === "a cancellation was requested";
    }
  };
  const sights = () => log.filter((line) => line.includes("to be cancelled") && line.includes(importId)).length;
  return { importId, isStopped, sights };
}

/** A pool whose heartbeats find nothing, so that only a notice can tell of a cancellation. */
const withoutNews = { query: async () => ({ rows: [{ kept: true, cancelRequested: false }] }) } as unknown as Pool;

test("a cancellation is told to the worker that runs the import, and to no other import", async () => {
  const notices = await listening();
  const [cancelled, other] = [await heldTurn(notices, withoutNews), await heldTurn(notices, withoutNews)];
  expect(cancelled.isStopped()).toBe(false);
  await cancelPlace(stage.pool, cancelled.importId);
  await until(() => cancelled.sights() === 1); // whether or not it asks: it may wait for an append
  expect(cancelled.isStopped()).toBe(true);
  await cancelPlace(stage.pool, cancelled.importId);
  expect([other.isStopped(), other.sights()]).toEqual([false, 0]);
});

test("where no notice arrives, the next heartbeat finds the cancellation", async () => {
  const { importId, isStopped, sights } = await heldTurn(noNotices);
  await cancelPlace(stage.pool, importId);
  await until(isStopped);
  expect(sights()).toBe(1);
});

test("a worker that is told of nothing runs what is pushed", async () => {
  const organisation = await stage.organisation("untold");
  const worker = stage.start({ notices: noNotices });
  onTestFinished(worker.stop);
  for (let n = 0; n < 2; n += 1) {
    const importId = await stage.push(organisation, "activities", activities(1));
    expect((await stage.ended(importId)).at(-1)?.type).toBe("ImportCompleted");
  }
});

test("a push while the worker's connection for notices is lost is run, and later pushes are told of again", async () => {
  const organisation = await stage.organisation("cut");
  const notices = await listening();
  const changes: boolean[] = [];
  notices.on(channels.importQueued, (text) => text === undefined && changes.push(notices.areArriving()));
  const worker = stage.start({ notices });
  onTestFinished(worker.stop);
  for (let n = 1; n <= 3; n += 1) {
    await stage.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'told'");
    const importId = await stage.push(organisation, "activities", activities(1));
    expect((await stage.ended(importId)).at(-1)?.type).toBe("ImportCompleted");
    await until(() => notices.areArriving() && changes.filter((arrive) => arrive).length >= n);
  }
});
