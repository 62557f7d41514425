// The projector: one is active at a time, others stand by. It follows the log from the checkpoints and goes on after any outage.
import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { LogTooShort } from "../portErrors.js";
import type { EventBatch, EventStore } from "../ports.js";
import { allProjections, projectedPrefixes } from "./allProjections.js";
import { applyBatch, type BatchContext } from "./applyBatch.js";
import { placeCheckpoints, readCheckpoints, touchCheckpoints } from "./checkpoints.js";
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
const idleTouchMs = 2_000;
const longestPauseMs = 5_000;

/** Resolves when the signal aborts; the batch at hand is finished first. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const guard = createLogGuard(options.eventStore, () => disownTables(pool));
  let failures = 0;
  while (!signal.aborted) {
    try {
      await whileActive({ pool, logger, signal }, (active) => followLog({ ...options, guard }, active, () => (failures = 0)));
    } catch (error) {
      failures += 1;
      if (error instanceof LogTooShort) logger.error({ err: error }, "nothing is projected, the tables are of another log");
      else logger.warn({ err: error, failures }, "projector interrupted, it goes on from its checkpoints");
      const wait = Math.min(longestPauseMs, 100 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
      await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** No log reaches this position: until a rebuild has placed their checkpoints anew, nothing is added to these tables. */
async function disownTables(pool: Pool): Promise<void> {
  const names = allProjections.map(({ name }) => name);
  await placeCheckpoints(pool, names, { commit: 2n ** 63n - 1n, prepare: 2n ** 63n - 1n });
}

async function followLog(options: ProjectorOptions & { guard: LogGuard }, active: AbortSignal, progressed: () => void): Promise<void> {
  const { pool, eventStore, logger } = options;
  const context: BatchContext = { pool, projections: allProjections, knownImports: new Map(), logger };
  const names = allProjections.map(({ name }) => name);
  const checkpoints = await readCheckpoints(pool, names);
  await options.guard(checkpoints);
  let after = earliest([...checkpoints.values()]);
  let idle = false;
  const deal = async (batch: EventBatch) => {
    idle = false;
    await applyBatch(context, batch, after);
    after = batch.position;
    idle = batch.caughtUp;
    progressed();
  };
  const touching = setInterval(() => {
    if (idle) void sayIdle().catch((error: unknown) => logger.debug({ err: error }, "could not record that the projector is idle"));
  }, idleTouchMs);
  const sayIdle = async () => {
    await eventStore.ping();
    if (idle) await touchCheckpoints(pool, names, after);
  };
  try {
    const from = isBeginning(after) ? undefined : after;
    await eventStore.follow({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal: active }, deal);
  } finally {
    clearInterval(touching);
  }
}
