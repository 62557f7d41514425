import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, unique, uuid } from "drizzle-orm/pg-core";

const timeColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** A projection of the organisations' streams. Removed endpoints stay, since deliveries refer to them. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    endpointId: uuid("endpoint_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    url: text().notNull(),
    events: text().array().notNull(),
    /** The generation of the endpoint's secret. */
    generation: integer().notNull(),
    /** When that secret was made, if it is not the first. */
    rotatedAt: timeColumn("rotated_at"),
    /** For a day after `rotatedAt`, the secrets from this generation on are used to sign. Null means the generation before the present one. */
    signsFrom: integer("signs_from"),
    addedAt: timeColumn("added_at").notNull(),
    /** Commit position of WebhookAdded. The endpoint gets later events only. */
    addedPosition: bigint("added_position", { mode: "bigint" }).notNull(),
    pausedAt: timeColumn("paused_at"),
    pausedBecause: text("paused_because"),
    removedAt: timeColumn("removed_at"),
    removedBecause: text("removed_because"),
  },
  (table) => [index("webhook_endpoints_by_organisation").on(table.organisationId)],
);

/**
 * Not a projection: the deliveries of events to endpoints. Waiting deliveries are kept, and ended ones for 30 days. Every attempt reads the
 * event itself from its stream. If the table is lost, the events of the last 30 days are sent again, under the same ids.
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    endpointId: uuid("endpoint_id").notNull(),
    organisationId: text("organisation_id").notNull(),
    /** Sent as the header `webhook-id`. */
    eventId: uuid("event_id").notNull(),
    type: text().notNull(),
    /** The stream, revision and commit position of the event; null for a ping. */
    importId: uuid("import_id"),
    revision: bigint({ mode: "bigint" }),
    position: bigint({ mode: "bigint" }),
    /** When the event was recorded. */
    occurredAt: timeColumn("occurred_at").notNull(),
    status: text({ enum: ["waiting", "delivered", "failed", "dropped"] }).notNull(),
    /** Why the last attempt failed, or why there will be none. */
    reason: text(),
    attempts: integer().notNull().default(0),
    /** Failures that count towards giving up, and the time of the first. Both are reset when a person sends the delivery again. */
    failures: integer().notNull().default(0),
    failingSince: timeColumn("failing_since"),
    /** No attempt is made before this time. While a process has claimed the delivery, this is when the claim ends. */
    dueAt: timeColumn("due_at").notNull(),
    claim: text(),
    createdAt: timeColumn("created_at").notNull().default(sql`now()`),
    endedAt: timeColumn("ended_at"),
  },
  (table) => [
    unique("webhook_deliveries_once").on(table.endpointId, table.eventId),
    index("webhook_deliveries_due").on(table.endpointId, table.dueAt).where(sql`${table.status} = 'waiting'`),
    index("webhook_deliveries_in_order").on(table.endpointId, table.importId, table.position).where(sql`${table.status} = 'waiting'`),
    index("webhook_deliveries_claimed").on(table.endpointId).where(sql`${table.claim} is not null`),
    index("webhook_deliveries_pings").on(table.dueAt).where(sql`${table.status} = 'waiting' and ${table.type} = 'ping'`),
    index("webhook_deliveries_ended").on(table.endedAt).where(sql`${table.status} <> 'waiting'`),
    index("webhook_deliveries_newest").on(table.endpointId, table.id),
    // For counting. With status as the first column, Postgres would use this index also to find the deliveries of an endpoint if few waited
    // when it last gathered statistics, and then read all waiting deliveries each time.
    index("webhook_deliveries_outcomes").on(table.createdAt, table.status),
  ],
);

/**
 * Not a projection: the events to send, one row for all endpoints of the organisation, kept for 30 days for replays. Deliveries are
 * made from them, a bounded number at a time.
 */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    organisationId: text("organisation_id").notNull(),
    position: bigint({ mode: "bigint" }).notNull(),
    eventId: uuid("event_id").notNull(),
    type: text().notNull(),
    importId: uuid("import_id").notNull(),
    revision: bigint({ mode: "bigint" }).notNull(),
    occurredAt: timeColumn("occurred_at").notNull(),
    createdAt: timeColumn("created_at").notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.organisationId, table.position, table.eventId] }),
    index("webhook_events_by_age").on(table.createdAt),
  ],
);

/** The position in `webhook_events` up to which each endpoint's deliveries have been made. */
export const webhookBacklogs = pgTable(
  "webhook_backlogs",
  {
    endpointId: uuid("endpoint_id").primaryKey(),
    position: bigint({ mode: "bigint" }).notNull(),
    /** The end of a replay: events up to this position are sent again. */
    againUntil: bigint("again_until", { mode: "bigint" }).notNull().default(sql`-1`),
    /** When to look for events after `position`. Null if there are none. */
    nextAt: timeColumn("next_at"),
  },
  (table) => [index("webhook_backlogs_behind").on(table.nextAt)],
);

/** The outcome of each attempt. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" }).notNull(),
    attempt: integer().notNull(),
    at: timeColumn("at").notNull(),
    milliseconds: integer().notNull(),
    /** The HTTP status, if one came. */
    status: integer(),
    /** Why the attempt failed. */
    reason: text(),
    /** The beginning of the answer. */
    answer: text(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.attempt] })],
);

/** The recent successes and failures of an endpoint. Deleting the row makes the endpoint count as new. */
export const webhookHealth = pgTable("webhook_health", {
  endpointId: uuid("endpoint_id").primaryKey(),
  /** Failures in a row. */
  failures: integer().notNull(),
  /** The first failure since the last success. */
  failingSince: timeColumn("failing_since"),
  /** After a failure, no attempt is made before this time. */
  retryAt: timeColumn("retry_at"),
  succeededAt: timeColumn("succeeded_at"),
});
