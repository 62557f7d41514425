import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { logIdOf } from "../../src/commands/logIdentity.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { disownTables } from "../../src/projections/running/checkpoints.js";
import { projectionLags } from "../../src/projections/running/projectionLag.js";
import { connect } from "../adapters/eventStore/support.js";
import { activity, append, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel, until } from "../support/readModel.js";
import { acceptingAnyPosition } from "../support/stores/anyPosition.js";
import { startTestEventStore, type TestEventStore } from "../support/stores/eventStore.js";

let model: ReadModel;
let otherNode: TestEventStore;
let other: EventStore;
let own: EventStore;
beforeAll(async () => {
  model = await startReadModel();
  otherNode = await startTestEventStore();
  await model.stopProjector(); // each test starts its own
  own = acceptingAnyPosition(model.eventStore);
  other = acceptingAnyPosition(connect(otherNode.address));
  // The other log is longer than the tables' log, so that its end does not show that it is another one.
  for (let count = 0; count < 40; count += 1) await record(other);
});
afterAll(async () => {
  await other?.close();
  await Promise.all([model?.close(), otherNode?.stop()]);
});

async function record(store: EventStore): Promise<string> {
  const told = tell({ kind: "activities", rows: [{ accept: activity() }, { reject: "x" }] });
  await append(store, told);
  return told.importId;
}

const everything = async () =>
  (await model.pool.query("select import_id, status, position::text from imports order by position")).rows.map((row) =>
    JSON.stringify(row),
  );
const checkpoints = async () => (await model.pool.query("select * from checkpoints order by projection")).rows;

const rebuildFrom = (eventStore: EventStore) =>
  rebuild({
    ...{ pool: model.pool, eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
    ...{ migrations: migrationStatements(), projections: allProjections },
  });

/** Runs a projector until it has logged three errors or projected the import. Returns what it logged. */
async function projectFrom(eventStore: EventStore, importId?: string): Promise<string> {
  const lines: string[] = [];
  const logger = pino({ level: "error" }, { write: (line) => void lines.push(line) });
  model.startProjector(logger, eventStore);
  const isThere = async () => importId !== undefined && (await everything()).some((row) => row.includes(importId));
  try {
    await until(async () => lines.length >= 3 || (await isThere()));
  } finally {
    await model.stopProjector();
  }
  return lines.join("");
}

async function expectDisowned(store: EventStore, why: RegExp): Promise<void> {
  const before = await everything();
  const importId = await record(store);
  const said = await projectFrom(store, importId);
  expect(said).toMatch(why);
  expect(said).toContain("projections rebuild");
  expect(await everything()).toEqual(before);
  const lags = projectionLags({ pool: model.pool, eventStore: store, signal: new AbortController().signal });
  await expect(lags).rejects.toThrow(/another log.*`projections rebuild`/);
  // The tables stay disowned: before a rebuild not even their own log is projected to them.
  expect(await projectFrom(own, await record(model.eventStore))).toContain("were found to be of another log");
}

describe("tables of a log", () => {
  beforeEach(async () => {
    await rebuildFrom(own);
    model.startProjector();
    await record(model.eventStore);
    await model.project();
    await model.stopProjector();
  });
  afterEach(() => model.stopProjector());

  test("are not written from another log, though it is longer and its server accepts any position", async () => {
    await expectDisowned(other, /hold event .*, which the log does not have there/);
  });

  test("are recognised by their imports when the checkpoint is of an earlier version and names no event", async () => {
    await model.pool.query("update checkpoints set event_id = null, log_id = null");
    await expectDisowned(other, /hold import .*, which the log does not have/);
  });

  test("go on with their own log when the checkpoint names no event, and the checkpoint then names one", async () => {
    await model.pool.query("update checkpoints set event_id = null, log_id = null");
    expect(await projectFrom(own, await record(model.eventStore))).toBe("");
    const last = (await checkpoints()).map((row) => row.event_id);
    expect(new Set(last).size).toBe(1);
    expect(last[0]).toEqual(expect.any(String));
  });

  test("whose checkpoint is where the log has no event are disowned", async () => {
    await model.pool.query("update checkpoints set commit = commit - 1, prepare = prepare - 1");
    await expectDisowned(own, /before event .* that they hold/);
  });

  test("of a later state of a log that was restored from a backup, and has grown since, are disowned", async () => {
    await record(model.eventStore);
    // The checkpoint had reached the end of the later state without an event for the projections; now there is one before it.
    const end = await model.eventStore.head();
    await model.pool.query("update checkpoints set commit = $1, prepare = $2", [String(end?.commit), String(end?.prepare)]);
    await expectDisowned(own, /was never seen by projection/);
  });

  test("are disowned for a log with another id", async () => {
    await Promise.all([logIdOf(model.eventStore), logIdOf(other)]);
    await rebuildFrom(own);
    await expectDisowned(other, /are of log .*, this is log/);
  });

  test("are accepted after a rebuild from the other log", async () => {
    await projectFrom(other);
    await rebuildFrom(other);
    const importId = await record(other);
    expect(await projectFrom(other, importId)).toBe("");
    expect((await everything()).some((row) => row.includes(importId))).toBe(true);
    await rebuildFrom(own);
  });
});

test("a projector that disowns the old tables does not disown those that a rebuild has put in place meanwhile", async () => {
  await rebuildFrom(own);
  model.startProjector(pino({ level: "silent" }), other);
  try {
    await until(async () => (await checkpoints()).some(({ commit }) => commit === String(2n ** 63n - 1n)));
  } finally {
    await model.stopProjector();
  }
  await rebuildFrom(own);
  const stale = new Map([["imports", { commit: 1n, prepare: 1n, shape: 1, lastEvent: undefined, logId: undefined }]]);
  await disownTables(model.pool, stale);
  const placed = await checkpoints();
  expect(placed.every(({ commit }) => commit !== String(2n ** 63n - 1n))).toBe(true);
  expect(placed.map(({ event_stream }) => event_stream)).toEqual(placed.map(() => expect.any(String)));
});
