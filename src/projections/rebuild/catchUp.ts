// src/projections/rebuild fills tables anew beside the live ones: shadowSchema.ts makes a schema for them, this file fills it from the event log,
// withShadow.ts calls both. A rebuild (rebuild.ts) then replaces the live tables, an audit compares them (auditTables.ts).
import type { PoolClient } from "pg";
import { type EventBatch, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { projectedPrefixes } from "../allProjections.js";
import type { KnownImports } from "../models/importFacts.js";
import type { Projection, ProjectionDeps } from "../projection.js";
import { applyInTransaction, eventsPerBatch, isDuplicate } from "../running/applyBatch.js";
import { type AppliedEvent, isSamePosition, lastPermanentIn, logIdIn, startAfter } from "../running/checkpoints.js";
import { inTransaction } from "../running/locks.js";
import { lockShadow, type ShadowSchema } from "./shadowSchema.js";

/** The shadow tables, and how far they have come in the event log. */
export interface Shadow extends ShadowSchema, Pick<ProjectionDeps, "eventStore" | "logger"> {
  readonly client: PoolClient;
  /** Other events are left out. */
  readonly isWanted?: ((event: StoredEvent) => boolean) | undefined;
  readonly projections: readonly Projection[];
  readonly knownImports: KnownImports;
  reached: Position;
  /** The position to read on from. Not `reached`: that may be the live tables' position, and they may be of another event log. */
  readUpTo: Position;
  events: number;
  /** The last event of a stream that is never deleted, up to `reached`. */
  lastEvent: AppliedEvent | undefined;
  logId: string | undefined;
}

interface CatchUpOptions {
  /** The last position to include; undefined for the present end of the event log. */
  readonly until: Position | undefined;
  readonly signal: AbortSignal;
  /** The caller has opened a transaction; all batches become part of it. */
  readonly inside?: boolean;
  readonly onProgress?: (reached: Position, events: number) => void;
}

const silenceMs = 20_000;

/** Fails when the event store sends nothing for too long, because the projector may be waiting for the locks of this transaction. */
export async function catchUp(shadow: Shadow, options: CatchUpOptions): Promise<void> {
  if (options.until && !isAfter(options.until, shadow.reached)) return;
  const silent = new AbortController();
  const giveUp = () => silent.abort(new Error("the event store has been silent for too long; run the rebuild again"));
  let timer = setTimeout(giveUp, silenceMs);
  const onBatch = async (batch: EventBatch) => {
    clearTimeout(timer);
    await applyShadowBatch(shadow, options, batch);
    timer = setTimeout(giveUp, silenceMs);
  };
  const from = startAfter(shadow.readUpTo);
  const signal = AbortSignal.any([options.signal, silent.signal]);
  try {
    await shadow.eventStore.replay({ prefixes: projectedPrefixes, from, until: options.until, maxBatch: eventsPerBatch, signal }, onBatch);
  } catch (error) {
    throw silent.signal.aborted ? silent.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

async function applyShadowBatch(shadow: Shadow, { until, inside, onProgress }: CatchUpOptions, batch: EventBatch): Promise<void> {
  const { client, schema, isWanted } = shadow;
  const { position } = batch;
  const events = isWanted ? batch.events.filter(isWanted) : batch.events;
  const apply = async () => {
    await client.query(`set local search_path to ${schema}, public`);
    await applyOnce(shadow, { ...batch, events });
    await client.query("set local search_path to default");
  };
  if (inside) await apply();
  else await inTransaction(client, () => lockShadow(client, shadow).then(apply));
  shadow.reached = position;
  // `until` need not be the position of an event, so the next replay starts at one
  shadow.readUpTo = isSamePosition(until, position) ? (batch.events.at(-1)?.position ?? shadow.readUpTo) : position;
  shadow.events += batch.events.length;
  shadow.lastEvent = lastPermanentIn(events) ?? shadow.lastEvent;
  shadow.logId ??= logIdIn(events);
  onProgress?.(position, shadow.events);
}

/** As the live projector does: a row that is recorded twice does not stop it, the first one stays. */
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
