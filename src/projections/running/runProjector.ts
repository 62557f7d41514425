// The projector follows the event log from the checkpoints and goes on after any outage. One projector is active at a time, further ones stand by.
import { setTimeout as pause } from "node:timers/promises";
import { streamPrefix } from "../../events/streams.js";
import { LogTooShort } from "../../portErrors.js";
import type { EventBatch, StoredEvent } from "../../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../allProjections.js";
import type { Projection, ProjectionDeps } from "../projection.js";
import { rebuild } from "../rebuild/rebuild.js";
import { applyBatch, type BatchContext, eventsPerBatch } from "./applyBatch.js";
import {
  type Checkpoints,
  disownTables,
  earliest,
  isOutdated,
  isSamePosition,
  readAllCheckpoints,
  readCheckpoints,
  startAfter,
  touchCheckpoints,
} from "./checkpoints.js";
import { fillMissing, type TableFilling, watchForMissing } from "./fillMissing.js";
import { keepActive } from "./locks.js";
import { createLogGuard, type LogGuard, TablesOfAnotherLog } from "./logGuard.js";

export interface ProjectorOptions extends ProjectionDeps {
  /** How to fill tables that are missing, new or of an earlier shape. Without it they are left to a rebuild. */
  readonly tables?: TableFilling;
}

const smallBatch = 100;
const gatherMs = 20;
const gatherQuotesMs = 400;
const idleTouchMs = 5_000;

/** Resolves after the signal aborts, when the present batch is finished. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { pool, logger } = options;
  const guard = createLogGuard(options, (checkpoints) => disownTables(pool, checkpoints));
  const work = (signal: AbortSignal, progressed: () => void) => fillThenFollow({ ...options, guard, signal, progressed });
  await keepActive({ ...options, lock: "projector" }, work, (error, failures) => {
    if (error instanceof LogTooShort || error instanceof TablesOfAnotherLog)
      logger.error({ err: error }, "nothing is projected, the tables are of another log: run `projections rebuild`");
    else logger.warn({ err: error, failures }, "projector interrupted, it goes on from its checkpoints");
  });
}

interface FollowerOptions extends ProjectorOptions {
  readonly guard: LogGuard;
  readonly progressed: () => void;
}

/** Ends when a table is lost, so that the next call fills it. */
async function fillThenFollow(options: FollowerOptions): Promise<void> {
  const { tables, signal } = options;
  if (!tables) return followAndBuildOutdated(options);
  await fillMissing(tables, options);
  const gone = new AbortController();
  const unwatch = watchForMissing(tables, gone);
  try {
    await followAndBuildOutdated({ ...options, signal: AbortSignal.any([signal, gone.signal]) });
  } finally {
    unwatch();
  }
}

/**
 * A projection that is newer than the tables, and tables of an earlier shape, are built anew beside the live tables, while the other projections
 * go on. Ends when this is done, so that the next call follows the event log with all projections.
 */
async function followAndBuildOutdated(options: FollowerOptions): Promise<void> {
  const checkpoints = await readAllCheckpoints(options.pool);
  await options.guard(checkpoints);
  const outdated = options.tables ? allProjections.filter(({ name }) => isOutdated(name, checkpoints)) : [];
  if (!options.tables || outdated.length === 0) return followLog(options, allProjections, checkpoints);
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const building = buildAnew({ ...options, signal }, outdated, options.tables).finally(() => ended.abort());
  building.catch(() => undefined); // rethrown below, when the other projections have stopped
  const others = allProjections.filter((projection) => !outdated.includes(projection));
  try {
    await followLog({ ...options, signal }, others, checkpoints);
  } finally {
    ended.abort();
    await building;
  }
}

async function buildAnew(running: ProjectionDeps, projections: readonly Projection[], { migrations }: TableFilling): Promise<void> {
  const { logger, signal } = running;
  const names = projections.map(({ name }) => name);
  logger.info({ projections: names }, "tables that an earlier version has not filled are built anew from the log; everything else goes on");
  try {
    await rebuild({ ...running, migrations, projections });
    logger.info({ projections: names }, "the tables are built anew");
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * How long to wait after a batch, so that single events form the next: a batch costs far more than an event in it. Longer while quotes pour in,
 * because those who asked have their answers, and their next quotes wait for the same processor.
 */
function restAfter(events: readonly StoredEvent[]): number {
  const quotesPour =
    events.length > 1 && events.length < eventsPerBatch && events.every(({ stream }) => stream.startsWith(streamPrefix.quotes));
  if (quotesPour) return gatherQuotesMs;
  return events.length < smallBatch ? gatherMs : 0;
}

async function followLog(options: FollowerOptions, projections: readonly Projection[], checkpoints: Checkpoints): Promise<void> {
  const { pool, eventStore, logger, signal, progressed } = options;
  const context: BatchContext = { pool, projections, knownImports: new Map(), logger };
  const names = projections.map(({ name }) => name);
  const standings = names.flatMap((name) => checkpoints.get(name) ?? []);
  // After the last applied event, not at the checkpoint, which may be later: so an event between the two, which the tables have not seen, is noticed.
  let reached = earliest(standings.map((each) => each.lastEvent?.position ?? each));
  const from = startAfter(reached);
  let idle = false;
  const onBatch = async (batch: EventBatch) => {
    if (idle && batch.events.length === 0 && isSamePosition(batch.position, reached)) return; // nothing new: `touchIfIdle` records that the tables are up to date
    idle = false;
    await applyBatch(context, batch, reached).catch(async (error: unknown) => {
      if (error instanceof TablesOfAnotherLog && error.isCertain) await disownTables(pool, await readCheckpoints(pool, names));
      throw error;
    });
    reached = batch.position;
    idle = batch.caughtUp;
    progressed();
    const rest = restAfter(batch.events);
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => undefined);
  };
  const touchIfIdle = async () => {
    await eventStore.ping();
    if (idle && !(await touchCheckpoints(pool, names, reached))) idle = false; // a checkpoint was put back, as by a restore: the next empty batch is applied and checks it
  };
  const touching = setInterval(() => {
    if (idle) void touchIfIdle().catch((error: unknown) => logger.debug({ err: error }, "could not record that the projector is idle"));
  }, idleTouchMs);
  try {
    await eventStore.follow({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal }, onBatch);
  } finally {
    clearInterval(touching);
  }
}
