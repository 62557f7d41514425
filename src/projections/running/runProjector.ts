// The projector follows the log from the checkpoints and goes on after any outage. One projector is active at a time, further ones stand by.
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { LogTooShort } from "../../portErrors.js";
import type { EventBatch, EventStore } from "../../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../allProjections.js";
import type { Projection } from "../projection.js";
import { TablesOfAnotherLog } from "./anotherLog.js";
import { applyBatch, type BatchContext } from "./applyBatch.js";
import { type Checkpoints, disownTables, readCheckpoints, touchCheckpoints } from "./checkpoints.js";
import { type FilledTables, fillMissing, watchForMissing } from "./fillMissing.js";
import { fillLatecomers, latecomersAt } from "./latecomers.js";
import { createLogGuard, type LogGuard } from "./logGuard.js";
import { earliest, isBeginning } from "./position.js";
import { whileActive } from "./projectorLock.js";

export interface ProjectorOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** How to fill tables that are missing. Without it they are left to a rebuild. */
  readonly tables?: FilledTables;
}

const eventsPerBatch = 2_000;
const smallBatch = 100;
const gatherMs = 20;
const idleTouchMs = 2_000;
const longestPauseMs = 5_000;

/** Resolves after the signal aborts, when the present batch is finished. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const guard = createLogGuard(options, (checkpoints) => disownTables(pool, checkpoints));
  const filled = new Set<string>();
  let failures = 0;
  while (!signal.aborted) {
    try {
      await whileActive({ pool, logger, signal }, (active) => fillThenFollow({ ...options, guard, filled }, active, () => (failures = 0)));
    } catch (error) {
      failures += 1;
      if (error instanceof LogTooShort || error instanceof TablesOfAnotherLog)
        logger.error({ err: error }, "nothing is projected, the tables are of another log: run `projections rebuild`");
      else logger.warn({ err: error, failures }, "projector interrupted, it goes on from its checkpoints");
      const wait = Math.min(longestPauseMs, 100 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

interface Following extends ProjectorOptions {
  readonly guard: LogGuard;
  /** New projections that were filled from the log and may now go on with the rest. */
  readonly filled: Set<string>;
}

/** Ends when a table is lost, so that the next call fills it. */
async function fillThenFollow(options: Following, active: AbortSignal, progressed: () => void): Promise<void> {
  const { tables } = options;
  if (!tables) return followBeside(options, active, progressed);
  await fillMissing(tables, { ...options, signal: active });
  const gone = new AbortController();
  const unwatch = watchForMissing(tables, gone);
  try {
    await followBeside(options, AbortSignal.any([active, gone.signal]), progressed);
  } finally {
    unwatch();
  }
}

/** Ends when the latecomers are filled, so that the next call follows the log with all projections. */
async function followBeside(options: Following, active: AbortSignal, progressed: () => void): Promise<void> {
  const checkpoints = await readCheckpoints(
    options.pool,
    allProjections.map(({ name }) => name),
  );
  await options.guard(checkpoints);
  const late = latecomersAt(checkpoints).filter(({ name }) => !options.filled.has(name));
  const ended = new AbortController();
  const signal = AbortSignal.any([active, ended.signal]);
  const filling = late.length > 0 ? fillLatecomers({ ...options, signal }, late, checkpoints).finally(() => ended.abort()) : undefined;
  filling?.catch(() => undefined); // rethrown below, when the other projections have stopped
  const others = allProjections.filter((projection) => !late.includes(projection));
  try {
    await followLog(options, others, checkpoints, signal, progressed);
  } finally {
    ended.abort();
    await filling;
  }
  if (active.aborted) return;
  for (const { name } of late) options.filled.add(name);
}

async function followLog(
  options: ProjectorOptions,
  projections: readonly Projection[],
  checkpoints: Checkpoints,
  active: AbortSignal,
  progressed: () => void,
): Promise<void> {
  const { pool, eventStore, logger } = options;
  const context: BatchContext = { pool, projections, knownImports: new Map(), logger };
  const names = projections.map(({ name }) => name);
  const places = [...checkpoints].filter(([name]) => names.includes(name)).map(([, place]) => place);
  // From the landmark, not from the checkpoint, which may be later: an event between the two, which the tables cannot have seen, is noticed.
  let after = earliest(places.map((place) => place.landmark?.position ?? place));
  let idle = false;
  const onBatch = async (batch: EventBatch) => {
    idle = false;
    await applyBatch(context, batch, after).catch(async (error: unknown) => {
      if (error instanceof TablesOfAnotherLog && error.isCertain) await disownTables(pool, await readCheckpoints(pool, names));
      throw error;
    });
    after = batch.position;
    idle = batch.caughtUp;
    progressed();
    // Wait a moment, so that single events form a batch: a batch costs far more than an event in it.
    if (batch.events.length < smallBatch) await pause(gatherMs, undefined, { signal: active }).catch(() => undefined);
  };
  const touching = setInterval(() => {
    if (idle) void touchIfIdle().catch((error: unknown) => logger.debug({ err: error }, "could not record that the projector is idle"));
  }, idleTouchMs);
  const touchIfIdle = async () => {
    await eventStore.ping();
    if (idle) await touchCheckpoints(pool, names, after);
  };
  try {
    const from = isBeginning(after) ? undefined : after;
    await eventStore.follow({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal: active }, onBatch);
  } finally {
    clearInterval(touching);
  }
}
