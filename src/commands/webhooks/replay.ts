// Sends an endpoint every event since a time again, each under its own id. Events that are no longer in webhook_events are added to it first:
// the tables say which imports there were, and their events are read from the streams.
import type { Pool } from "pg";
import { isUuid } from "../../domain/uuid.js";
import { type WebhookStream, webhookEvents, webhookTypeOf } from "../../domain/webhooks/types.js";
import { startedRevision } from "../../events/importLayout.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { finds, type Stores } from "../../ports/database.js";
import { beginning, type EventStore, eventAt, eventsOf, type StoredEvent } from "../../ports/eventStore.js";
import { type Endpoint, noEndpoint } from "../organisations/webhooks.js";
import { addOldEvents, rewindEndpoint, type WebhookEvent } from "./deliveries.js";

const importsAtOnce = 16;
const importsPerPage = 1_000;

/** Returns how many events will be sent. */
export async function replayEvents(
  { pool, eventStore, signal }: Stores & { signal?: AbortSignal },
  endpoint: Endpoint,
  from: Date,
): Promise<number> {
  const { organisationId, endpointId } = endpoint;
  const endpointSql = "select from webhook_endpoints where organisation_id = $1 and endpoint_id = $2 and removed_at is null";
  if (!(await finds(pool, endpointSql, [organisationId, endpointId]))) throw noEndpoint();
  for (let page = await unlistedImports(pool, endpoint, from); page.length > 0; ) {
    for (let start = 0; start < page.length; start += importsAtOnce) {
      signal?.throwIfAborted();
      const ids = page.slice(start, start + importsAtOnce);
      const events = (await Promise.all(ids.map((importId) => webhookEventsOfImport(eventStore, importId)))).flat();
      const since = events.filter(({ recordedAt }) => recordedAt >= from);
      if (since.length > 0) await addOldEvents(pool, since);
    }
    page = page.length < importsPerPage ? [] : await unlistedImports(pool, endpoint, from, page.at(-1));
  }
  const end = await eventStore.head();
  return rewindEndpoint(pool, endpoint, { from, until: (end ?? beginning).commit });
}

/** The deliveries know imports that are not in the table yet: the follower may be ahead of the projector. */
const importsSince = (until: string) => `
  select import_id from imports where organisation_id = $1 and (finished_at is null or finished_at >= $2::timestamptz - interval '1 hour')
     and submitted_at < ${until}
  union select import_id from reversals where organisation_id = $1 and at >= $2::timestamptz - interval '1 hour' and at < ${until}
  union select import_id from webhook_deliveries where endpoint_id = $3 and import_id is not null and occurred_at >= $2 and occurred_at < ${until}`;

/** webhook_events has everything that was recorded after its oldest row was added. An hour more, since two clocks are compared. */
const listedSince = "coalesce((select min(created_at) + interval '1 hour' from webhook_events), 'infinity')";

const firstUuid = "00000000-0000-0000-0000-000000000000";

/** The next imports, in the order of their ids, of which webhook_events may lack events since `from`. */
async function unlistedImports(pool: Pool, { organisationId, endpointId }: Endpoint, from: Date, after = firstUuid): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select import_id as "importId" from (${importsSince(listedSince)}) as since where import_id > $4 order by 1 limit ${importsPerPage}`,
    [organisationId, from, endpointId, after],
  );
  return rows.map(({ importId }) => importId);
}

/** The imports that a replay tells of are counted up to this number. */
export const mostCounted = 10_000;

export async function countToReplay(pool: Pool, { organisationId, endpointId }: Endpoint, from: Date): Promise<number> {
  const { rows } = await pool.query<{ imports: number }>(
    `select count(*)::int as imports from (select from (${importsSince("'infinity'")}) as since limit ${mostCounted + 1}) as counted`,
    [organisationId, from, endpointId],
  );
  return rows[0]?.imports ?? 0;
}

async function webhookEventsOfImport(eventStore: EventStore, importId: string): Promise<WebhookEvent[]> {
  const read = await Promise.all(Object.values(readers).map((reader) => reader(eventStore, importId)));
  return read.flat().flatMap((event) => (event ? (webhookEventOf(event) ?? []) : []));
}

/** Reads the events of an import that webhooks are sent for, from each kind of stream. */
const readers: Record<WebhookStream, (eventStore: EventStore, importId: string) => Promise<(StoredEvent | undefined)[]>> = {
  /** ImportStarted, or an end in its place; an end is the last event. */
  import: async (eventStore, importId) => {
    const stream = streamOf.import(importId);
    const [last, second] = await Promise.all([eventStore.last(stream), eventAt(eventStore, stream, startedRevision)]);
    return [second, last?.revision === startedRevision ? undefined : last];
  },
  reversals: (eventStore, importId) => eventsOf(eventStore, streamOf.reversals(importId)),
};

/** Undefined for an event without a webhook. */
export function webhookEventOf(event: StoredEvent): WebhookEvent | undefined {
  const { id, stream, metadata, revision, position, recordedAt } = event;
  const type = webhookTypeOf(event.type);
  if (type === undefined) return undefined;
  const prefix = streamPrefix[webhookEvents[type].stream];
  const importId = stream.slice(prefix.length);
  if (!stream.startsWith(prefix) || !isUuid(importId)) return undefined;
  return { eventId: id, type, organisationId: metadata.organisation, importId, revision, position: position.commit, recordedAt };
}
