// src/projections/rebuild fills shadow tables beside the live ones: shadowSchema.ts creates a schema for them, this file fills it from the
// event log, and withShadow.ts calls both. A rebuild (rebuild.ts) then replaces the live tables; an audit (auditTables.ts) compares them.
import type { PoolClient } from "pg";
import { type EventBatch, isAfter, type Position, type StoredEvent } from "../../ports/eventStore.js";
import { projectedPrefixes } from "../allProjections.js";
import type { KnownImports } from "../models/importFacts.js";
import type { Projection, ProjectionDeps } from "../projection.js";
import { applyInTransaction, eventsPerBatch, isDuplicate } from "../running/applyBatch.js";
import { type AppliedEvent, isSamePosition, lastPermanentIn, logIdIn, startAfter } from "../running/checkpoints.js";
import { inTransaction } from "../running/locks.js";
import { lockShadow, type ShadowSchema } from "./shadowSchema.js";

/** The shadow tables and their position in the event log. */
export interface Shadow extends ShadowSchema, Pick<ProjectionDeps, "eventStore" | "logger"> {
  readonly client: PoolClient;
  /** Selects the events to apply; all by default. */
  readonly isWanted?: ((event: StoredEvent) => boolean) | undefined;
  readonly projections: readonly Projection[];
  readonly knownImports: KnownImports;
  position: Position;
  /** The position of an event, from which reading continues. `position` cannot serve: it may come from live tables of another event log. */
  readPosition: Position;
  eventCount: number;
  /** The last event up to `position`, counting only streams that are never deleted. */
  lastEvent: AppliedEvent | undefined;
  logId: string | undefined;
}

interface CatchUpOptions {
  /** The last position to include; undefined for the current end of the event log. */
  readonly until: Position | undefined;
  readonly signal: AbortSignal;
  /** True if the caller has opened a transaction, of which all batches become part. */
  readonly isInTransaction?: boolean;
  readonly onProgress?: (reached: Position, events: number) => void;
}

const maxSilenceMs = 20_000;

/** Applies events up to `until`. Fails if the event store is silent for too long: the projector may be waiting for this transaction. */
export async function catchUp(shadow: Shadow, options: CatchUpOptions): Promise<void> {
  if (options.until && !isAfter(options.until, shadow.position)) return;
  const silence = new AbortController();
  const giveUp = () => silence.abort(new Error("the event store has been silent for too long; run the command again"));
  let timer = setTimeout(giveUp, maxSilenceMs);
  const onBatch = async (batch: EventBatch) => {
    clearTimeout(timer);
    await applyShadowBatch(shadow, options, batch);
    timer = setTimeout(giveUp, maxSilenceMs);
  };
  const from = startAfter(shadow.readPosition);
  const signal = AbortSignal.any([options.signal, silence.signal]);
  try {
    await shadow.eventStore.replay({ prefixes: projectedPrefixes, from, until: options.until, maxBatch: eventsPerBatch, signal }, onBatch);
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

async function applyShadowBatch(shadow: Shadow, { until, isInTransaction, onProgress }: CatchUpOptions, batch: EventBatch): Promise<void> {
  const { client, schema, isWanted } = shadow;
  const { position } = batch;
  const events = isWanted ? batch.events.filter(isWanted) : batch.events;
  const apply = async () => {
    await client.query(`set local search_path to ${schema}, public`);
    await applyKeepingFirst(shadow, { ...batch, events });
    await client.query("set local search_path to default");
  };
  if (isInTransaction) await apply();
  else await inTransaction(client, () => lockShadow(client, shadow).then(apply));
  shadow.position = position;
  // `until` need not be the position of an event, but the next replay has to start at one.
  shadow.readPosition = isSamePosition(until, position) ? (batch.events.at(-1)?.position ?? shadow.readPosition) : position;
  shadow.eventCount += batch.events.length;
  shadow.lastEvent = lastPermanentIn(events) ?? shadow.lastEvent;
  shadow.logId ??= logIdIn(events);
  onProgress?.(position, shadow.eventCount);
}

/** If a stream records a row twice, the first one stays, as in the live tables. */
async function applyKeepingFirst(shadow: Shadow, batch: EventBatch): Promise<void> {
  const apply = (keepExisting: boolean) => applyInTransaction(shadow.client, shadow, batch, { keepExisting, after: shadow.position });
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
