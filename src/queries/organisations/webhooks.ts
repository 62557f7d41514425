import { type Database, hasRow } from "../../ports/database.js";
import type { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookHealth } from "../../projections/tables/webhooks.js";

type EndpointFields = "endpointId" | "url" | "events" | "addedAt" | "rotatedAt" | "pausedAt" | "pausedBecause";

export interface WebhookSummary
  extends Pick<typeof webhookEndpoints.$inferSelect, EndpointFields>,
    Pick<typeof webhookHealth.$inferSelect, "failures" | "failingSince"> {
  /** Waiting deliveries, and events that have no delivery to the endpoint yet, up to `maxCounted` of these. */
  readonly waiting: number;
}

const maxCounted = 10_000;

/** The endpoints, oldest first, without removed ones. */
export async function listWebhooks(organisationId: string, database: Database): Promise<WebhookSummary[]> {
  const { rows } = await database.query<WebhookSummary>(
    `select endpoint.endpoint_id as "endpointId", url, events, added_at as "addedAt", rotated_at as "rotatedAt", paused_at as "pausedAt",
            paused_because as "pausedBecause", coalesce(health.failures, 0) as failures, health.failing_since as "failingSince",
            (select count(*)::int from webhook_deliveries delivery where delivery.endpoint_id = endpoint.endpoint_id
              and delivery.status = 'waiting') +
            (select count(*)::int from (select from webhook_backlogs backlog join webhook_events event on event.organisation_id = endpoint.organisation_id
              and event.position > backlog.position and event.type = any(endpoint.events)
              where backlog.endpoint_id = endpoint.endpoint_id limit ${maxCounted}) as behind) as waiting
       from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where organisation_id = $1 and removed_at is null order by added_at, endpoint.endpoint_id`,
    [organisationId],
  );
  return rows;
}

/** Whether the organisation has or had this endpoint: deliveries to a removed one are kept too. */
export const isKnownEndpoint = (organisationId: string, endpointId: string, database: Database): Promise<boolean> =>
  hasRow(database, "select from webhook_endpoints where organisation_id = $1 and endpoint_id = $2", [organisationId, endpointId]);

export type AttemptSummary = Omit<typeof webhookAttempts.$inferSelect, "deliveryId">;

type DeliveryFields = "eventId" | "type" | "importId" | "occurredAt" | "status" | "reason";

export interface DeliverySummary extends Pick<typeof webhookDeliveries.$inferSelect, DeliveryFields> {
  readonly deliveryId: string;
  /** When a waiting delivery is tried next. */
  readonly dueAt: Date | null;
  /** The latest ten, oldest first. */
  readonly attempts: readonly AttemptSummary[];
}

const maxAttempts = 10;

const deliverySql = `select delivery.id::text as "deliveryId", event_id as "eventId", type, import_id as "importId", occurred_at as "occurredAt", status, reason,
            revision::text, now(), case when status = 'waiting' then due_at end as "dueAt",
            (select json_agg(each order by each.attempt) from (
               select attempt, at, milliseconds, status, reason, answer from webhook_attempts
                where delivery_id = delivery.id order by attempt desc limit ${maxAttempts}) as each) as attempts
       from webhook_deliveries delivery`;

type DeliveryRow = Omit<Delivery, "attempts"> & { readonly attempts: (AttemptSummary & { at: string })[] | null };

const deliveryOf = (row: DeliveryRow): Delivery => ({
  ...row,
  attempts: (row.attempts ?? []).map((each) => ({ ...each, at: new Date(each.at) })),
});

/** One page of an endpoint's deliveries, newest first. `before` is the deliveryId with which the previous page ended. */
export async function listDeliveries(
  organisationId: string,
  endpointId: string,
  { limit, before }: { limit: number; before?: string },
  database: Database,
): Promise<DeliverySummary[]> {
  const { rows } = await database.query<DeliveryRow>(
    `${deliverySql}
      where organisation_id = $1 and endpoint_id = $2 and delivery.id < coalesce($4::bigint, 9223372036854775807)
      order by delivery.id desc limit $3`,
    [organisationId, endpointId, limit, before ?? null],
  );
  return rows.map(deliveryOf).map(({ revision: _, now: __, ...summary }) => summary);
}

/** A delivery, and what its message is built from. */
export interface Delivery extends DeliverySummary {
  /** The event's revision in its stream; null for a ping. */
  readonly revision: string | null;
  /** The database's clock. */
  readonly now: Date;
}

export async function findDelivery(
  organisationId: string,
  endpointId: string,
  deliveryId: string,
  database: Database,
): Promise<Delivery | undefined> {
  if (!/^\d{1,18}$/.test(deliveryId)) return undefined;
  const { rows } = await database.query<DeliveryRow>(
    `${deliverySql} where organisation_id = $1 and endpoint_id = $2 and delivery.id = $3`,
    [organisationId, endpointId, deliveryId],
  );
  return rows[0] && deliveryOf(rows[0]);
}
