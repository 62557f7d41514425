// src/commands/webhooks: which events are sent to which endpoint. Deliveries are operational state in tables, not events of the log.
import type { Pool } from "pg";
import { Rejection } from "../../domain/rejection.js";
import { type Endpoint, noEndpoint } from "../organisations/webhookDecider.js";

type Database = Pick<Pool, "query">;

/** An event of an import's stream that endpoints are told of. */
export interface ToldEvent {
  readonly eventId: string;
  readonly type: string;
  readonly organisationId: string;
  readonly importId: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly recordedAt: Date;
}

const told = `jsonb_to_recordset($1) as told ("eventId" uuid, type text, "organisationId" text, "importId" uuid, revision bigint,
  position bigint, "recordedAt" timestamptz)`;
const columns = "endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at";
/** Not before the import's earlier deliveries are due. Deliveries that are being sent are not compared: the claim then keeps the order. */
const due = `greatest(now(), (select max(before.due_at) from webhook_deliveries before where before.endpoint_id = endpoint.endpoint_id
  and before.import_id = told."importId" and before.status = 'waiting' and before.claim is null and before.position < told.position))`;
const values = `endpoint.endpoint_id, endpoint.organisation_id, told."eventId", told.type, told."importId", told.revision, told.position,
  told."recordedAt", 'waiting', ${due}`;

/** Deliveries are kept for this many days. Earlier events are sent again only by a replay. */
export const keptDays = 30;

export interface Endpoints {
  readonly all: number;
  /** Those whose last attempt succeeded, by their ids. */
  readonly working: readonly string[];
}

/** By organisation. */
export async function endpointsOf(database: Database, organisations: ReadonlySet<string>): Promise<Map<string, Endpoints>> {
  if (organisations.size === 0) return new Map();
  const { rows } = await database.query<Endpoints & { organisationId: string }>(
    `select organisation_id as "organisationId", count(*)::int as all, coalesce(array_agg(endpoint.endpoint_id) filter (
              where endpoint.paused_at is null and health.failures = 0 and health.succeeded_at is not null), '{}') as working
       from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where organisation_id = any($1) and removed_at is null group by organisation_id`,
    [[...organisations]],
  );
  return new Map(rows.map((row) => [row.organisationId, row]));
}

/**
 * Adds a delivery of each event for every endpoint that was added before the event and asked for its type, or only for those in `only`. Events
 * older than `keptDays` are left out. The same event again adds nothing.
 */
export async function enqueueTold(database: Database, events: readonly ToldEvent[], only?: readonly string[]): Promise<number> {
  const { rowCount } = await database.query(
    `insert into webhook_deliveries (${columns})
     select ${values} from ${told}
       join webhook_endpoints endpoint on endpoint.organisation_id = told."organisationId" and endpoint.removed_at is null
        and told.type = any(endpoint.events) and endpoint.added_position < told.position ${only ? "and endpoint.endpoint_id = any($2)" : ""}
      where told."recordedAt" > now() - interval '${keptDays} days'
      order by told.position
     on conflict (endpoint_id, event_id) do nothing`,
    only ? [asJson(events), only] : [asJson(events)],
  );
  return rowCount ?? 0;
}

const begunAnew = `status = 'waiting', failures = 0, failing_since = null, ended_at = null, reason = null,
  due_at = case when webhook_deliveries.claim is null then now() else webhook_deliveries.due_at end`;

/** Adds deliveries for one endpoint, whatever was sent to it before and however old the events are. */
export async function enqueueAgain(database: Database, { endpointId }: Endpoint, events: readonly ToldEvent[]): Promise<number> {
  const { rowCount } = await database.query(
    `insert into webhook_deliveries (${columns})
     select ${values} from ${told} join webhook_endpoints endpoint on endpoint.endpoint_id = $2 and told.type = any(endpoint.events)
      order by told.position
     on conflict (endpoint_id, event_id) do update set ${begunAnew}`,
    [asJson(events), endpointId],
  );
  return rowCount ?? 0;
}

const asJson = (events: readonly ToldEvent[]): string =>
  JSON.stringify(events, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

/** Sends a ping to the endpoint, also to a paused one. Returns the delivery's id. */
export async function ping(database: Database, { organisationId, endpointId }: Endpoint, eventId: string): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, occurred_at, status, due_at)
     select endpoint_id, organisation_id, $3, 'ping', now(), 'waiting', now() from webhook_endpoints
      where organisation_id = $1 and endpoint_id = $2 and removed_at is null returning id`,
    [organisationId, endpointId, eventId],
  );
  if (!rows[0]) throw noEndpoint();
  return rows[0].id;
}

/** Sends one delivery once more, with the same id. */
export async function sendAgain(database: Database, { organisationId, endpointId }: Endpoint, deliveryId: string): Promise<void> {
  const { rowCount } = await database.query(
    `update webhook_deliveries set ${begunAnew} where organisation_id = $1 and endpoint_id = $2 and id = $3
        and exists (select from webhook_endpoints endpoint where endpoint.endpoint_id = $2 and endpoint.removed_at is null)`,
    [organisationId, endpointId, /^\d{1,18}$/.test(deliveryId) ? deliveryId : "0"],
  );
  if (!rowCount) throw new Rejection("notFound", "There is no such delivery to an endpoint of this organisation");
}

/** After a resume: makes all that waits due at once, and forgets the endpoint's failures. */
export async function releaseDeliveries(database: Database, { organisationId, endpointId }: Endpoint): Promise<void> {
  await database.query("delete from webhook_health where endpoint_id = $1", [endpointId]);
  await database.query(
    `update webhook_deliveries set failures = 0, failing_since = null, due_at = now()
      where organisation_id = $1 and endpoint_id = $2 and status = 'waiting' and claim is null`,
    [organisationId, endpointId],
  );
}
