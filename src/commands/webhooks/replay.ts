// Tells an endpoint everything since a time again, each event under its own id. Which imports there were is asked of the tables;
// the events are read from their streams.
import type { Pool } from "pg";
import { isUuid } from "../../domain/uuid.js";
import { isTold, toldOf } from "../../domain/webhooks/endpoint.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore, StoredEvent } from "../../ports/eventStore.js";
import { type Endpoint, noEndpoint } from "../organisations/webhookDecider.js";
import { enqueueAgain, type ToldEvent } from "./deliveries.js";

export interface ReplaySources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal?: AbortSignal;
}

const importsAtOnce = 16;

/** Returns how many events will be sent. */
export async function replay({ pool, eventStore, signal }: ReplaySources, endpoint: Endpoint, from: Date): Promise<number> {
  const { organisationId, endpointId } = endpoint;
  const found = await pool.query("select from webhook_endpoints where organisation_id = $1 and endpoint_id = $2 and removed_at is null", [
    organisationId,
    endpointId,
  ]);
  if (found.rowCount === 0) throw noEndpoint();
  const imports = await importsToReplay(pool, endpoint, from);
  let sent = 0;
  for (let start = 0; start < imports.length; start += importsAtOnce) {
    signal?.throwIfAborted();
    const events = await Promise.all(imports.slice(start, start + importsAtOnce).map((importId) => toldOfImport(eventStore, importId)));
    const since = events.flat().filter(({ recordedAt }) => recordedAt >= from);
    if (since.length > 0) sent += await enqueueAgain(pool, endpoint, since);
  }
  return sent;
}

/** The deliveries know imports that are not in the table yet: the follower may be ahead of the projector. */
export async function importsToReplay(pool: Pool, { organisationId, endpointId }: Endpoint, from: Date): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select import_id as "importId" from imports where organisation_id = $1 and (finished_at is null or finished_at >= $2::timestamptz - interval '1 hour')
     union select import_id from webhook_deliveries where endpoint_id = $3 and import_id is not null and occurred_at >= $2`,
    [organisationId, from, endpointId],
  );
  return rows.map(({ importId }) => importId);
}

/** ImportStarted is the second event, an end is the last. */
async function toldOfImport(eventStore: EventStore, importId: string): Promise<ToldEvent[]> {
  const stream = streamOf.import(importId);
  const [last, second] = await Promise.all([eventStore.last(stream), eventAt(eventStore, stream, 1n)]);
  return [second, last?.revision === 1n ? undefined : last].flatMap((event) => (event ? (toldEvent(event) ?? []) : []));
}

async function eventAt(eventStore: EventStore, stream: string, revision: bigint): Promise<StoredEvent | undefined> {
  for await (const event of eventStore.read(stream, { from: revision, max: 1 })) return event;
  return undefined;
}

/** Undefined for an event that endpoints are not told of. */
export function toldEvent({ id, type, stream, metadata, revision, position, recordedAt }: StoredEvent): ToldEvent | undefined {
  if (!isTold(type) || !stream.startsWith(importPrefix)) return undefined;
  const importId = stream.slice(importPrefix.length);
  if (!isUuid(importId)) return undefined;
  const { organisation: organisationId } = metadata;
  return { eventId: id, type: toldOf[type], organisationId, importId, revision, position: position.commit, recordedAt };
}

const importPrefix = streamOf.import("");
