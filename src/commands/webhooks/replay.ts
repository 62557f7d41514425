// Tells an endpoint everything since a time again, each event under its own id. Events that are no longer in the list of told events are
// added to it first: which imports there were is asked of the tables, the events are read from their streams.
import type { Pool } from "pg";
import { isUuid } from "../../domain/uuid.js";
import { type ToldStream, toldEvents, typeToldOf } from "../../domain/webhooks/types.js";
import { startedRevision } from "../../events/importLayout.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import { beginning, type EventStore, eventAt, type StoredEvent } from "../../ports/eventStore.js";
import { type Endpoint, noEndpoint } from "../organisations/webhookDecider.js";
import { addOldEvents, goBack, type ToldEvent } from "./deliveries.js";

export interface ReplaySources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal?: AbortSignal;
}

const importsAtOnce = 16;
const importsPerPage = 1_000;

/** Returns how many events will be sent. */
export async function replay({ pool, eventStore, signal }: ReplaySources, endpoint: Endpoint, from: Date): Promise<number> {
  const { organisationId, endpointId } = endpoint;
  const found = await pool.query("select from webhook_endpoints where organisation_id = $1 and endpoint_id = $2 and removed_at is null", [
    organisationId,
    endpointId,
  ]);
  if (found.rowCount === 0) throw noEndpoint();
  for (let page = await unlistedImports(pool, endpoint, from); page.length > 0; ) {
    for (let start = 0; start < page.length; start += importsAtOnce) {
      signal?.throwIfAborted();
      const ids = page.slice(start, start + importsAtOnce);
      const events = (await Promise.all(ids.map((importId) => toldOfImport(eventStore, importId)))).flat();
      const since = events.filter(({ recordedAt }) => recordedAt >= from);
      if (since.length > 0) await addOldEvents(pool, since);
    }
    page = page.length < importsPerPage ? [] : await unlistedImports(pool, endpoint, from, page.at(-1));
  }
  const end = await eventStore.head();
  return goBack(pool, endpoint, { from, until: (end ?? beginning).commit });
}

/** The deliveries know imports that are not in the table yet: the follower may be ahead of the projector. */
const importsSince = (until: string) => `
  select import_id from imports where organisation_id = $1 and (finished_at is null or finished_at >= $2::timestamptz - interval '1 hour')
     and submitted_at < ${until}
  union select import_id from reversals where organisation_id = $1 and at >= $2::timestamptz - interval '1 hour' and at < ${until}
  union select import_id from webhook_deliveries where endpoint_id = $3 and import_id is not null and occurred_at >= $2 and occurred_at < ${until}`;

/** The list has everything that was recorded after its oldest row was added. An hour more, since two clocks are compared. */
const listedSince = "coalesce((select min(created_at) + interval '1 hour' from webhook_events), 'infinity')";

const firstUuid = "00000000-0000-0000-0000-000000000000";

/** The next imports, in the order of their ids, of which the list of told events may not have everything since `from`. */
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

async function toldOfImport(eventStore: EventStore, importId: string): Promise<ToldEvent[]> {
  const read = await Promise.all(Object.values(readers).map((reader) => reader(eventStore, importId)));
  return read.flat().flatMap((event) => (event ? (toldEvent(event) ?? []) : []));
}

/** Where the told events of an import stand, for each kind of stream. */
const readers: Record<ToldStream, (eventStore: EventStore, importId: string) => Promise<(StoredEvent | undefined)[]>> = {
  /** ImportStarted, or an end in its place; an end is the last event. */
  import: async (eventStore, importId) => {
    const stream = streamOf.import(importId);
    const [last, second] = await Promise.all([eventStore.last(stream), eventAt(eventStore, stream, startedRevision)]);
    return [second, last?.revision === startedRevision ? undefined : last];
  },
  reversals: async (eventStore, importId) => {
    const reversals: StoredEvent[] = [];
    for await (const stored of eventStore.read(streamOf.reversals(importId))) reversals.push(stored);
    return reversals;
  },
};

/** Undefined for an event that endpoints are not told of. */
export function toldEvent({ id, type: recorded, stream, metadata, revision, position, recordedAt }: StoredEvent): ToldEvent | undefined {
  const type = typeToldOf(recorded);
  if (type === undefined) return undefined;
  const prefix = streamPrefix[toldEvents[type].stream];
  const importId = stream.slice(prefix.length);
  if (!stream.startsWith(prefix) || !isUuid(importId)) return undefined;
  return { eventId: id, type, organisationId: metadata.organisation, importId, revision, position: position.commit, recordedAt };
}
