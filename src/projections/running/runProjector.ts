// The projector follows the log from the checkpoints and goes on after any outage. One projector is active at a time, further ones stand by.
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { LogTooShort } from "../../portErrors.js";
import type { EventBatch, EventStore } from "../../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../allProjections.js";
import { TablesOfAnotherLog } from "./anotherLog.js";
import { applyBatch, type BatchContext } from "./applyBatch.js";
import { disownTables, readCheckpoints, touchCheckpoints } from "./checkpoints.js";
import { createLogGuard, type LogGuard } from "./logGuard.js";
import { earliest, isBeginning } from "./position.js";
import { whileActive } from "./projectorLock.js";

export interface ProjectorOptions {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
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
  let failures = 0;
  while (!signal.aborted) {
    try {
      await whileActive({ pool, logger, signal }, (active) => followLog({ ...options, guard }, active, () => (failures = 0)));
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

async function followLog(options: ProjectorOptions & { guard: LogGuard }, active: AbortSignal, progressed: () => void): Promise<void> {
  const { pool, eventStore, logger } = options;
  const context: BatchContext = { pool, projections: allProjections, knownImports: new Map(), logger };
  const names = allProjections.map(({ name }) => name);
  const checkpoints = await readCheckpoints(pool, names);
  await options.guard(checkpoints);
  // From the landmark, not from the checkpoint, which may be later: an event between the two, which the tables cannot have seen, is noticed.
  let after = earliest([...checkpoints.values()].map((place) => place.landmark?.position ?? place));
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
