import { sql } from "drizzle-orm";
import { bigint, index, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { aboutKinds, type LogDetails, logTopics } from "../../domain/log/entry.js";

/** One row per event that a person, a key or the command line caused. It has ids only: names are looked up when it is read. */
export const logEntries = pgTable(
  "log_entries",
  {
    eventId: uuid("event_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    at: timestamp("at", { withTimezone: true, precision: 3 }).notNull(),
    /** Commit position of the event. */
    position: bigint({ mode: "bigint" }).notNull(),
    /** `kind:id`. */
    actor: text().notNull(),
    what: text({ enum: logTopics }).notNull(),
    type: text().notNull(),
    aboutKind: text("about_kind", { enum: aboutKinds }).notNull(),
    aboutId: text("about_id").notNull(),
    details: jsonb().$type<LogDetails>().notNull(),
    stream: text().notNull(),
    revision: bigint({ mode: "bigint" }).notNull(),
  },
  (table) => {
    const order = [table.at, table.position, table.revision] as const;
    return [
      index("log_entries_by_time").on(table.organisationId, ...order),
      index("log_entries_by_actor").on(table.organisationId, table.actor, ...order),
      index("log_entries_by_what").on(table.organisationId, table.what, ...order),
      index("log_entries_by_actor_and_what").on(table.organisationId, table.actor, table.what, ...order),
      // For deleting old sign-ins.
      index("log_entries_of_sign_ins").on(table.at).where(sql`what = 'sign-ins'`),
      // For deleting all entries of a deleted stream.
      index("log_entries_by_stream").on(table.stream),
    ];
  },
);
