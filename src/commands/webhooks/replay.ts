// Sends an endpoint all events since a chosen time again, each with its original id. First adds the events that webhook_events no longer
// has: the tables say which imports there were, and the streams have the imports' events.
import type { Pool } from "pg";
import { isUuid } from "../../domain/uuid.js";
import { type WebhookStream, webhookEventsByType, webhookTypeOf } from "../../domain/webhooks/types.js";
import { startedRevision } from "../../events/importLayout.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { hasRow, type Stores } from "../../ports/database.js";
import { type EventStore, eventAt, eventsOf, logStart, type StoredEvent } from "../../ports/eventStore.js";
import { type Endpoint, noEndpoint } from "../organisations/webhooks.js";
import { addOldEvents, rewindEndpoint, type WebhookEvent } from "./deliveries.js";

const importsInParallel = 16;
const importsPerPage = 1_000;

/** Returns how many events will be sent. */
export async function replayEvents(
  { pool, eventStore, signal }: Stores & { signal?: AbortSignal },
  endpoint: Endpoint,
  from: Date,
): Promise<number> {
  const { organisationId, endpointId } = endpoint;
  const endpointSql = "select from webhook_endpoints where organisation_id = $1 and endpoint_id = $2 and removed_at is null";
  if (!(await hasRow(pool, endpointSql, [organisationId, endpointId]))) throw noEndpoint();
  for (let page = await unlistedImports(pool, endpoint, from); page.length > 0; ) {
    for (let start = 0; start < page.length; start += importsInParallel) {
      signal?.throwIfAborted();
      const ids = page.slice(start, start + importsInParallel);
      const events = (await Promise.all(ids.map((importId) => webhookEventsOfImport(eventStore, importId)))).flat();
      const wantedEvents = events.filter(({ recordedAt }) => recordedAt >= from);
      if (wantedEvents.length > 0) await addOldEvents(pool, wantedEvents);
    }
    page = page.length < importsPerPage ? [] : await unlistedImports(pool, endpoint, from, page.at(-1));
  }
  const end = await eventStore.head();
  return rewindEndpoint(pool, endpoint, { from, until: (end ?? logStart).commit });
}

/** SQL for imports that may have events since $2. Includes those of deliveries, since the projector may not have written the others yet. */
const importsSinceSql = (until: string) => `
  select import_id from imports where organisation_id = $1 and (finished_at is null or finished_at >= $2::timestamptz - interval '1 hour')
     and submitted_at < ${until}
  union select import_id from reversals where organisation_id = $1 and at >= $2::timestamptz - interval '1 hour' and at < ${until}
  union select import_id from webhook_deliveries where endpoint_id = $3 and import_id is not null and occurred_at >= $2 and occurred_at < ${until}`;

/** webhook_events has every event that was recorded after its oldest row was added. The hour allows for differences between clocks. */
const listedSinceSql = "coalesce((select min(created_at) + interval '1 hour' from webhook_events), 'infinity')";

const firstUuid = "00000000-0000-0000-0000-000000000000";

/** The next page of imports, in the order of their ids, that may have events since `from` which webhook_events lacks. */
async function unlistedImports(pool: Pool, { organisationId, endpointId }: Endpoint, from: Date, after = firstUuid): Promise<string[]> {
  const { rows } = await pool.query<{ importId: string }>(
    `select import_id as "importId" from (${importsSinceSql(listedSinceSql)}) as since where import_id > $4 order by 1 limit ${importsPerPage}`,
    [organisationId, from, endpointId, after],
  );
  return rows.map(({ importId }) => importId);
}

/** `countImportsToReplay` stops counting at one more than this, which means "more". */
export const maxCountedImports = 10_000;

export async function countImportsToReplay(pool: Pool, { organisationId, endpointId }: Endpoint, from: Date): Promise<number> {
  const { rows } = await pool.query<{ imports: number }>(
    `select count(*)::int as imports from (select from (${importsSinceSql("'infinity'")}) as since limit ${maxCountedImports + 1}) as counted`,
    [organisationId, from, endpointId],
  );
  return rows[0]?.imports ?? 0;
}

async function webhookEventsOfImport(eventStore: EventStore, importId: string): Promise<WebhookEvent[]> {
  const storedEvents = await Promise.all(Object.values(eventReaders).map((reader) => reader(eventStore, importId)));
  return storedEvents.flat().flatMap((event) => (event ? (webhookEventOf(event) ?? []) : []));
}

/** By kind of stream: a function that reads those of an import's events for which webhooks may be sent. */
const eventReaders: Record<WebhookStream, (eventStore: EventStore, importId: string) => Promise<(StoredEvent | undefined)[]>> = {
  /** Reads the second event, which is ImportStarted or an early end, and the last event, which may be the end. */
  import: async (eventStore, importId) => {
    const stream = streamOf.import(importId);
    const [last, second] = await Promise.all([eventStore.last(stream), eventAt(eventStore, stream, startedRevision)]);
    return [second, last?.revision === startedRevision ? undefined : last];
  },
  reversals: (eventStore, importId) => eventsOf(eventStore, streamOf.reversals(importId)),
};

/** Undefined for an event for which no webhook is sent. */
export function webhookEventOf(event: StoredEvent): WebhookEvent | undefined {
  const { id, stream, metadata, revision, position, recordedAt } = event;
  const type = webhookTypeOf(event.type);
  if (type === undefined) return undefined;
  const prefix = streamPrefix[webhookEventsByType[type].stream];
  const importId = stream.slice(prefix.length);
  if (!stream.startsWith(prefix) || !isUuid(importId)) return undefined;
  return { eventId: id, type, organisationId: metadata.organisation, importId, revision, position: position.commit, recordedAt };
}
