// The projector follows the event log from the checkpoints and continues after any outage. Only one is active at a time; others stand by.
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
  earliestPosition,
  isOutdated,
  isSamePosition,
  readAllCheckpoints,
  readCheckpoints,
  startAfter,
  touchCheckpoints,
} from "./checkpoints.js";
import { fillMissingTables, type TableFilling, watchForMissingTables } from "./fillMissing.js";
import { keepActive } from "./locks.js";
import { createLogGuard, type LogGuard, TablesOfAnotherLog } from "./logGuard.js";

export interface ProjectorOptions extends ProjectionDeps {
  /** How to fill tables that are missing, new or of an earlier shape. Without it, only `projections rebuild` fills them. */
  readonly tables?: TableFilling;
}

const smallBatchEvents = 100;
const gatherEventsMs = 20;
const gatherQuotesMs = 400;
const idleTouchMs = 5_000;

/** Resolves after the signal has aborted and the current batch is finished. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { pool, logger } = options;
  const guard = createLogGuard(options, (checkpoints) => disownTables(pool, checkpoints));
  const work = (signal: AbortSignal, noteProgress: () => void) => fillThenFollow({ ...options, guard, signal, noteProgress });
  await keepActive({ ...options, lock: "projector" }, work, (error, failures) => {
    if (error instanceof LogTooShort || error instanceof TablesOfAnotherLog)
      logger.error({ err: error }, "nothing is projected, the tables are of another log: run `projections rebuild`");
    else logger.warn({ err: error, failures }, "projector interrupted, it goes on from its checkpoints");
  });
}

interface FollowerOptions extends ProjectorOptions {
  readonly guard: LogGuard;
  readonly noteProgress: () => void;
}

/** Ends when a table goes missing, so that the next call fills it. */
async function fillThenFollow(options: FollowerOptions): Promise<void> {
  const { tables, signal } = options;
  if (!tables) return followAndRebuildOutdated(options);
  await fillMissingTables(tables, options);
  const tableLost = new AbortController();
  const stopWatching = watchForMissingTables(tables, tableLost);
  try {
    await followAndRebuildOutdated({ ...options, signal: AbortSignal.any([signal, tableLost.signal]) });
  } finally {
    stopWatching();
  }
}

/**
 * Rebuilds tables that are new or of an earlier shape beside the live tables, while the other projections continue. Ends when the rebuild
 * is done, so that the next call follows the event log with all projections.
 */
async function followAndRebuildOutdated(options: FollowerOptions): Promise<void> {
  const checkpoints = await readAllCheckpoints(options.pool);
  await options.guard(checkpoints);
  const outdated = options.tables ? allProjections.filter(({ name }) => isOutdated(name, checkpoints)) : [];
  if (!options.tables || outdated.length === 0) return followLog(options, allProjections, checkpoints);
  const stopped = new AbortController();
  const signal = AbortSignal.any([options.signal, stopped.signal]);
  const rebuilding = rebuildOutdated({ ...options, signal }, outdated, options.tables).finally(() => stopped.abort());
  rebuilding.catch(() => undefined); // rethrown below, when the other projections have stopped
  const others = allProjections.filter((projection) => !outdated.includes(projection));
  try {
    await followLog({ ...options, signal }, others, checkpoints);
  } finally {
    stopped.abort();
    await rebuilding;
  }
}

async function rebuildOutdated(deps: ProjectionDeps, projections: readonly Projection[], { migrations }: TableFilling): Promise<void> {
  const { logger, signal } = deps;
  const names = projections.map(({ name }) => name);
  logger.info(
    { projections: names },
    "some tables are new in this version; the projector fills them from the event log, beside its other work",
  );
  try {
    await rebuild({ ...deps, migrations, projections });
    logger.info({ projections: names }, "the tables are built anew");
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * How long to wait after a batch, so that single events collect in the next one: a batch costs far more than an event in it. The wait is
 * longer in a burst of quotes: their callers already have the answers, and the next quotes need the processor.
 */
function restMsAfter(events: readonly StoredEvent[]): number {
  const isQuoteBurst =
    events.length > 1 && events.length < eventsPerBatch && events.every(({ stream }) => stream.startsWith(streamPrefix.quotes));
  if (isQuoteBurst) return gatherQuotesMs;
  return events.length < smallBatchEvents ? gatherEventsMs : 0;
}

async function followLog(options: FollowerOptions, projections: readonly Projection[], checkpoints: Checkpoints): Promise<void> {
  const { pool, eventStore, logger, signal, noteProgress } = options;
  const context: BatchContext = { pool, projections, knownImports: new Map(), logger };
  const names = projections.map(({ name }) => name);
  const followedCheckpoints = names.flatMap((name) => checkpoints.get(name) ?? []);
  // Starts after the last applied event, although the checkpoint may be later, to notice an event between the two that was never applied.
  let appliedUpTo = earliestPosition(followedCheckpoints.map((each) => each.lastEvent?.position ?? each));
  const from = startAfter(appliedUpTo);
  let isIdle = false;
  const onBatch = async (batch: EventBatch) => {
    if (isIdle && batch.events.length === 0 && isSamePosition(batch.position, appliedUpTo)) return; // `touchIfIdle` keeps the time current
    isIdle = false;
    await applyBatch(context, batch, appliedUpTo).catch(async (error: unknown) => {
      if (error instanceof TablesOfAnotherLog && error.isCertain) await disownTables(pool, await readCheckpoints(pool, names));
      throw error;
    });
    appliedUpTo = batch.position;
    isIdle = batch.caughtUp;
    noteProgress();
    const restMs = restMsAfter(batch.events);
    if (restMs > 0) await pause(restMs, undefined, { signal }).catch(() => undefined);
  };
  const touchIfIdle = async () => {
    await eventStore.ping();
    if (isIdle && !(await touchCheckpoints(pool, names, appliedUpTo))) isIdle = false; // restored tables, which the next batch reports
  };
  const touchTimer = setInterval(() => {
    if (isIdle) void touchIfIdle().catch((error: unknown) => logger.debug({ err: error }, "could not record that the projector is idle"));
  }, idleTouchMs);
  try {
    await eventStore.follow({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal }, onBatch);
  } finally {
    clearInterval(touchTimer);
  }
}
