// src/projections/rebuild builds projections anew beside the live tables: shadowSchema.ts makes the place, this file fills it from the
// log, swap.ts compares and puts it in place, rebuild.ts is the whole of it.
import type { PoolClient } from "pg";
import type { Logger } from "pino";
import type { EventBatch, EventStore, Position } from "../../ports.js";
import { projectedPrefixes } from "../allProjections.js";
import type { KnownImports } from "../models/importFacts.js";
import type { Projection } from "../projection.js";
import { applyInTransaction, isDuplicate } from "../running/applyBatch.js";
import { beginWithoutLimits } from "../running/heldLock.js";
import { type Landmark, landmarkIn, logIdIn } from "../running/landmark.js";
import { isAfter, isBeginning } from "../running/position.js";
import { claimShadow, shadowSchema } from "./shadowSchema.js";

/** The shadow tables on their way through the log. */
export interface Shadow {
  readonly client: PoolClient;
  readonly schemaId: number;
  readonly projections: readonly Projection[];
  readonly knownImports: KnownImports;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  reached: Position;
  /** Where to read on: the last event up to there. `reached` may be a position of the live tables, and they of another log. */
  readUpTo: Position;
  events: number;
  /** Up to `reached`. */
  landmark: Landmark | undefined;
  logId: string | undefined;
}

interface Course {
  /** The last position to include; undefined: the end of the log as it is now. */
  readonly until: Position | undefined;
  readonly signal: AbortSignal;
  /** A transaction is open already: everything becomes part of it. */
  readonly inside?: boolean;
  readonly onProgress?: (reached: Position, events: number) => void;
}

const eventsPerBatch = 2_000;
const patienceMs = 20_000;

/** Gives up when the event store is silent for too long, because others may be waiting for what this transaction holds. */
export async function catchUp(shadow: Shadow, course: Course): Promise<void> {
  if (course.until && !isAfter(course.until, shadow.reached)) return;
  const enough = new AbortController();
  const silent = new AbortController();
  const giveUp = () => silent.abort(new Error("the event store has been silent for too long; run the rebuild again"));
  let timer = setTimeout(giveUp, patienceMs);
  const deal = async (batch: EventBatch) => {
    clearTimeout(timer);
    await dealWith(shadow, course, batch);
    if (course.until && !isAfter(course.until, shadow.reached)) enough.abort();
    timer = setTimeout(giveUp, patienceMs);
  };
  const from = isBeginning(shadow.readUpTo) ? undefined : shadow.readUpTo;
  const signal = AbortSignal.any([course.signal, enough.signal, silent.signal]);
  try {
    await shadow.eventStore.replay({ prefixes: projectedPrefixes, from, maxBatch: eventsPerBatch, signal }, deal);
  } catch (error) {
    if (!enough.signal.aborted) throw silent.signal.aborted ? silent.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

async function dealWith(shadow: Shadow, { until, inside, onProgress }: Course, batch: EventBatch): Promise<void> {
  const wanted = until ? batch.events.filter(({ position }) => !isAfter(position, until)) : batch.events;
  const isPast = until !== undefined && isAfter(batch.position, until);
  const position = isPast ? until : batch.position;
  const part = { events: wanted, position, caughtUp: batch.caughtUp };
  const { client } = shadow;
  if (!inside) await beginWithoutLimits(client);
  try {
    if (!inside) await claimShadow(client, shadow.schemaId);
    await client.query(`set local search_path to ${shadowSchema}, public`);
    await applyOnce(shadow, part);
    await client.query(inside ? "set local search_path to default" : "commit");
  } catch (error) {
    if (!inside) await client.query("rollback");
    throw error;
  }
  shadow.reached = position;
  shadow.readUpTo = isPast ? (wanted.at(-1)?.position ?? shadow.readUpTo) : position;
  shadow.events += wanted.length;
  shadow.landmark = landmarkIn(wanted) ?? shadow.landmark;
  shadow.logId ??= logIdIn(wanted);
  onProgress?.(position, shadow.events);
}

/** As the live projector does: a row recorded twice is no reason to stop, the first one stays. */
async function applyOnce(shadow: Shadow, batch: EventBatch): Promise<void> {
  const apply = (keepExisting: boolean) => applyInTransaction(shadow.client, shadow, batch, { keepExisting, after: shadow.reached });
  await shadow.client.query("savepoint before_batch");
  try {
    await apply(false);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    await shadow.client.query("rollback to savepoint before_batch");
    await apply(true);
  }
  await shadow.client.query("release savepoint before_batch");
}
