// A projection that is newer than the tables begins at the beginning of the log. It is filled while the other projections go on, so
// that they need not wait for it on a long log. Then all go on together.
import type { Pool } from "pg";
import type { Logger } from "pino";
import { type EventStore, isAfter } from "../../ports/eventStore.js";
import { allProjections, projectedPrefixes } from "../allProjections.js";
import type { Projection } from "../projection.js";
import { applyBatch, type BatchContext } from "./applyBatch.js";
import type { Checkpoints } from "./checkpoints.js";
import { earliest, isBeginning, latest } from "./position.js";

/** Projections move together, so one that stands before another has yet to catch up. */
export function latecomersAt(checkpoints: Checkpoints): readonly Projection[] {
  const furthest = latest([...checkpoints.values()]);
  return allProjections.filter(({ name }) => {
    const place = checkpoints.get(name);
    return place !== undefined && isAfter(furthest, place);
  });
}

interface Filling {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Resolves when they have come to the present end of the log, or when the signal aborts. */
export async function fillLatecomers(filling: Filling, late: readonly Projection[], checkpoints: Checkpoints): Promise<void> {
  const { pool, eventStore, logger, signal } = filling;
  const names = late.map(({ name }) => name);
  const places = [...checkpoints].filter(([name]) => names.includes(name)).map(([, place]) => place);
  const context: BatchContext = { pool, projections: late, knownImports: new Map(), logger };
  let after = earliest(places.map((place) => place.landmark?.position ?? place));
  logger.info({ projections: names }, "filling projections from the log; the other projections go on meanwhile");
  const from = isBeginning(after) ? undefined : after;
  try {
    await eventStore.replay({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal }, async (batch) => {
      await applyBatch(context, batch, after);
      after = batch.position;
    });
    logger.info({ projections: names }, "projections filled from the log");
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const eventsPerBatch = 2_000;
