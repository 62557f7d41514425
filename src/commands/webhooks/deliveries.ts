// src/commands/webhooks decides which events go to which endpoint. This file writes the tables of events, of the endpoints' positions and
// of deliveries. These tables are operational state, which is not in the event log.
import { Rejection } from "../../domain/rejection.js";
import type { WebhookEventType } from "../../domain/webhooks/types.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { channels } from "../../ports/notices.js";
import { type Endpoint, noEndpoint } from "../organisations/webhooks.js";

/** An event of an import, of a type for which webhooks are sent. */
export interface WebhookEvent {
  readonly eventId: string;
  readonly type: WebhookEventType;
  readonly organisationId: string;
  readonly importId: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly recordedAt: Date;
}

/** SQL that reads the events in a JSON parameter as rows. */
const eventRecordsSql = (
  parameter: string,
) => `jsonb_to_recordset(${parameter}) as event_record ("eventId" uuid, type text, "organisationId" text, "importId" uuid,
  revision bigint, position bigint, "recordedAt" timestamptz)`;
export const deliveryColumnsSql =
  "endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at";

/** SQL for a due time of now, truncated to the column's milliseconds: a rounded time could be later, and not due in this transaction. */
export const dueNowSql = "date_trunc('milliseconds', now())";

/** Notifies every sender, when the transaction commits, that there is something to send. */
const notifySendersSql = `pg_notify('${channels.deliveriesDue}', '')`;

/** How long events and deliveries are kept. Only a replay sends older events. */
export const webhookHistoryDays = 30;

/** SQL that adds the events that meet the condition to webhook_events. An event that the table already has changes nothing. */
const addEventsSql = (parameter: string, condition: string) => `
  insert into webhook_events (organisation_id, position, event_id, type, import_id, revision, occurred_at)
  select "organisationId", position, "eventId", type, "importId", revision, "recordedAt" from ${eventRecordsSql(parameter)} where ${condition}
  on conflict do nothing`;

/**
 * Records events that the follower has read from the event log, and marks the endpoints of their organisations as behind. `sql` moves the
 * follower's checkpoint in the same statement. If it does not find the checkpoint where it was, nothing is recorded.
 */
export async function recordEvents(
  database: Database,
  events: readonly WebhookEvent[],
  { sql, values }: { readonly sql: string; readonly values: object },
): Promise<{ readonly checkpointMoved: boolean; readonly endpointsBehind: boolean }> {
  const hasMovedSql = "exists (select from moved)";
  // `on conflict do update` also locks endpoints already behind. Otherwise a sender could mark one as up to date before this commits.
  const { rows } = await database.query<{ checkpointMoved: boolean; endpointsBehind: boolean }>(
    bindNames(
      `/* prepared */ with moved as (${sql} returning 1
     ), added as (${addEventsSql(":events", `"recordedAt" > now() - interval '${webhookHistoryDays} days' and ${hasMovedSql}`)}
     ), behind as (
       insert into webhook_backlogs (endpoint_id, position, next_at)
       select endpoint_id, added_position, ${dueNowSql} from webhook_endpoints
        where organisation_id in (select "organisationId" from ${eventRecordsSql(":events")}) and removed_at is null and ${hasMovedSql}
        order by endpoint_id
       on conflict (endpoint_id) do update set next_at = ${dueNowSql} where webhook_backlogs.next_at is null returning 1
     ) select ${hasMovedSql} as "checkpointMoved", (select count(${notifySendersSql}) from (select from behind limit 1) as each) > 0 as "endpointsBehind"`,
      { ...values, events: asJson(events) },
    ),
  );
  return rows[0] ?? { checkpointMoved: false, endpointsBehind: false };
}

/** The SQL `set` clause that sends a delivery again. A delivery in flight keeps its due time, which is the end of its claim. */
export const restartSql = `status = 'waiting', failures = 0, failing_since = null, ended_at = null, reason = null,
  due_at = case when webhook_deliveries.claim is null then ${dueNowSql} else webhook_deliveries.due_at end`;

/** The name of the follower's checkpoint, which is in the same table as those of the projections. */
export const followerName = "webhooks";
const followerPositionSql = `(select commit from checkpoints where projection = '${followerName}')`;

/**
 * Adds events that a replay found in their streams, however old they are. Leaves events after the follower's checkpoint to the follower:
 * if this added them, an endpoint could move past them and miss earlier events that the follower has not added yet.
 */
export const addOldEvents = (database: Database, events: readonly WebhookEvent[]): Promise<unknown> =>
  database.query(addEventsSql("$1", `position <= ${followerPositionSql}`), [asJson(events)]);

/**
 * Moves the endpoint back to `from`: every event from that time to the position `until` is sent again, a bounded number at a time. Returns
 * how many events these are.
 */
export async function rewindEndpoint(
  database: Database,
  { organisationId, endpointId }: Endpoint,
  { from, until }: { readonly from: Date; readonly until: bigint },
): Promise<number> {
  const { rows } = await database.query<{ events: number }>(
    `with since as (
       select count(*)::int as events, min(position) as first from webhook_events
        where organisation_id = $1 and occurred_at >= $3 and type = any((select events from webhook_endpoints where endpoint_id = $2)::text[])
     ), moved as (
       insert into webhook_backlogs (endpoint_id, position, again_until, next_at)
       select $2::uuid, least(first - 1, coalesce(${followerPositionSql}, -1)), $4::bigint, ${dueNowSql} from since
       on conflict (endpoint_id) do update set position = least(webhook_backlogs.position, excluded.position),
         again_until = greatest(webhook_backlogs.again_until, excluded.again_until), next_at = excluded.next_at
     )
     select events, ${notifySendersSql} from since`,
    [organisationId, endpointId, from, String(until)],
  );
  return rows[0]?.events ?? 0;
}

const webhookTables = ["webhook_deliveries", "webhook_events", "webhook_backlogs"];

/** Makes the follower read the event log from the beginning. The deliveries stay: they have the events' ids, so nothing is sent twice. */
export const deleteFollowerState = (database: Database): Promise<unknown> =>
  database.query(`delete from checkpoints where projection = '${followerName}'; delete from webhook_events; delete from webhook_backlogs`);

/** If one of the webhook tables was lost, the others do not show which events are still to be sent. */
export const mustRestartFollower = (lostTables: readonly string[]): boolean => webhookTables.some((name) => lostTables.includes(name));

const asJson = (events: readonly WebhookEvent[]): string =>
  JSON.stringify(events, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

/** Enqueues a ping to the endpoint, even if it is paused. Returns the delivery's id. */
export async function enqueuePing(database: Database, { organisationId, endpointId }: Endpoint, eventId: string): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `with added as (
       insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, occurred_at, status, due_at)
       select endpoint_id, organisation_id, $3, 'ping', now(), 'waiting', now() from webhook_endpoints
        where organisation_id = $1 and endpoint_id = $2 and removed_at is null returning id
     ) select id, ${notifySendersSql} from added`,
    [organisationId, endpointId, eventId],
  );
  if (!rows[0]) throw noEndpoint();
  return rows[0].id;
}

/** Sends a delivery again, with the same event id. */
export async function resendDelivery(database: Database, { organisationId, endpointId }: Endpoint, deliveryId: string): Promise<void> {
  const { rowCount } = await database.query(
    `with again as (
       update webhook_deliveries set ${restartSql} where organisation_id = $1 and endpoint_id = $2 and id = $3
          and exists (select from webhook_endpoints endpoint where endpoint.endpoint_id = $2 and endpoint.removed_at is null) returning 1
     ) select ${notifySendersSql} from again`,
    [organisationId, endpointId, /^\d{1,18}$/.test(deliveryId) ? deliveryId : "0"],
  );
  if (!rowCount) throw new Rejection("notFound", "There is no such delivery to an endpoint of this organisation");
}

/** Called after a resume. Makes all waiting deliveries due now, and forgets the endpoint's failures. */
export async function releaseDeliveries(database: Database, { organisationId, endpointId }: Endpoint): Promise<void> {
  await database.query("delete from webhook_health where endpoint_id = $1", [endpointId]);
  await database.query(
    `with released as (
       update webhook_deliveries set failures = 0, failing_since = null, due_at = now()
        where organisation_id = $1 and endpoint_id = $2 and status = 'waiting' and claim is null
     ) select ${notifySendersSql}`,
    [organisationId, endpointId],
  );
}
