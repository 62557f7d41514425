// The projector follows the log from the checkpoints and goes on after any outage. One projector is active at a time, further ones stand by.
import { setTimeout as pause } from "node:timers/promises";
import { streamPrefix } from "../../events/streams.js";
import { LogTooShort } from "../../portErrors.js";
import { type EventBatch, isAfter, type StoredEvent } from "../../ports/eventStore.js";
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
  latest,
  readAllCheckpoints,
  readCheckpoints,
  startAfter,
  touchCheckpoints,
} from "./checkpoints.js";
import { type FilledTables, fillMissing, watchForMissing } from "./fillMissing.js";
import { keepActive } from "./locks.js";
import { createLogGuard, type LogGuard, TablesOfAnotherLog } from "./logGuard.js";

export interface ProjectorOptions extends ProjectionDeps {
  /** How to fill tables that are missing. Without it they are left to a rebuild. */
  readonly tables?: FilledTables;
}

const smallBatch = 100;
const gatherMs = 20;
const gatherQuotesMs = 400;
const idleTouchMs = 5_000;

/** Resolves after the signal aborts, when the present batch is finished. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { pool, logger } = options;
  const guard = createLogGuard(options, (checkpoints) => disownTables(pool, checkpoints));
  const filled = new Set<string>();
  const work = (signal: AbortSignal, progressed: () => void) => fillThenFollow({ ...options, guard, filled, signal, progressed });
  await keepActive({ ...options, role: "projector" }, work, (error, failures) => {
    if (error instanceof LogTooShort || error instanceof TablesOfAnotherLog)
      logger.error({ err: error }, "nothing is projected, the tables are of another log: run `projections rebuild`");
    else logger.warn({ err: error, failures }, "projector interrupted, it goes on from its checkpoints");
  });
}

interface Following extends ProjectorOptions {
  readonly guard: LogGuard;
  /** New projections that were filled from the log and may now go on with the rest. */
  readonly filled: Set<string>;
  readonly progressed: () => void;
}

/** Ends when a table is lost, so that the next call fills it. */
async function fillThenFollow(options: Following): Promise<void> {
  const { tables, signal } = options;
  if (!tables) return followBeside(options);
  await fillMissing(tables, options);
  const gone = new AbortController();
  const unwatch = watchForMissing(tables, gone);
  try {
    await followBeside({ ...options, signal: AbortSignal.any([signal, gone.signal]) });
  } finally {
    unwatch();
  }
}

/**
 * A projection that is newer than the tables begins at the beginning of the log. It is filled while the other projections go on, so that
 * they need not wait for it on a long log. Tables of an earlier shape are built anew beside the live ones, which go on too; not while a new
 * projection is filled, whose tables they may look into. Ends when this is done, so that the next call follows the log with all projections.
 */
async function followBeside(options: Following): Promise<void> {
  const checkpoints = await readAllCheckpoints(options.pool);
  await options.guard(checkpoints);
  const late = latecomersAt(checkpoints).filter(({ name }) => !options.filled.has(name));
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const outdated = late.length > 0 ? [] : allProjections.filter(({ name }) => isOutdated(name, checkpoints.get(name)));
  const filling = [
    ...(late.length > 0 ? [fillLatecomers({ ...options, signal }, late, checkpoints)] : []),
    ...(outdated.length > 0 && options.tables ? [buildAnew({ ...options, signal }, outdated, options.tables)] : []),
  ].map((each) => each.finally(() => ended.abort()));
  for (const each of filling) each.catch(() => undefined); // rethrown below, when the other projections have stopped
  const others = allProjections.filter((projection) => !late.includes(projection));
  try {
    await followLog({ ...options, signal }, others, checkpoints);
  } finally {
    ended.abort();
    await Promise.all(filling);
  }
  if (options.signal.aborted) return;
  for (const { name } of late) options.filled.add(name);
}

/** Projections move together, so one that stands before another has yet to catch up. */
function latecomersAt(checkpoints: Checkpoints): readonly Projection[] {
  const furthest = latest([...checkpoints.values()]);
  return allProjections.filter(({ name }) => isAfter(furthest, checkpoints.get(name)));
}

/** Applies batches in turn, from where the projections stand. */
function applier({ pool, logger }: ProjectionDeps, projections: readonly Projection[], checkpoints: Checkpoints) {
  const context: BatchContext = { pool, projections, knownImports: new Map(), logger };
  const names = projections.map(({ name }) => name);
  const places = names.flatMap((name) => checkpoints.get(name) ?? []);
  // After the last event, not after the checkpoint, which may be later: an event between the two, which the tables cannot have seen, is noticed.
  let after = earliest(places.map((place) => place.lastEvent?.position ?? place));
  return {
    names,
    from: startAfter(after),
    reached: () => after,
    async apply(batch: EventBatch): Promise<void> {
      await applyBatch(context, batch, after);
      after = batch.position;
    },
  };
}

/** Resolves when they have come to the present end of the log, or when the signal aborts. */
async function fillLatecomers(running: ProjectionDeps, late: readonly Projection[], checkpoints: Checkpoints): Promise<void> {
  const { eventStore, logger, signal } = running;
  const { names, from, apply } = applier(running, late, checkpoints);
  logger.info({ projections: names }, "filling projections from the log; the other projections go on meanwhile");
  try {
    await eventStore.replay({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal }, apply);
    logger.info({ projections: names }, "projections filled from the log");
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A rebuild of these projections. Its tables have the present shape. */
async function buildAnew(running: ProjectionDeps, projections: readonly Projection[], { migrations }: FilledTables): Promise<void> {
  const { logger, signal } = running;
  const names = projections.map(({ name }) => name);
  logger.info({ projections: names }, "tables of an earlier version are built anew from the log; everything else goes on meanwhile");
  try {
    await rebuild({ ...running, migrations, projections });
    logger.info({ projections: names }, "tables of an earlier version are built anew");
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

async function followLog(options: Following, projections: readonly Projection[], checkpoints: Checkpoints): Promise<void> {
  const { pool, eventStore, logger, signal, progressed } = options;
  const { names, from, apply, reached } = applier(options, projections, checkpoints);
  let idle = false;
  const onBatch = async (batch: EventBatch) => {
    if (idle && batch.events.length === 0 && isSamePosition(batch.position, reached())) return; // `touchIfIdle` says so often enough
    idle = false;
    await apply(batch).catch(async (error: unknown) => {
      if (error instanceof TablesOfAnotherLog && error.isCertain) await disownTables(pool, await readCheckpoints(pool, names));
      throw error;
    });
    idle = batch.caughtUp;
    progressed();
    const rest = restAfter(batch.events);
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => undefined);
  };
  const touchIfIdle = async () => {
    await eventStore.ping();
    if (idle && !(await touchCheckpoints(pool, names, reached()))) idle = false; // the next silence of the log finds out why
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
