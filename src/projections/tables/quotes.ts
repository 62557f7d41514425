import { boolean, index, integer, json, numeric, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

const quotedAtColumn = () => timestamp("quoted_at", { withTimezone: true, precision: 3 }).notNull();

/** One row per quote request, with all that is needed to fetch its quotes. */
export const quoteRequests = pgTable("quote_requests", {
  quotesId: uuid("quotes_id").primaryKey(),
  organisationId: text("organisation_id").notNull(),
  /** A single quote with a stream of its own, as older versions recorded them. */
  alone: boolean().notNull(),
  quotedAt: quotedAtColumn(),
  origin: json().notNull(),
  destination: json().notNull(),
  /** JSON, as text to keep its escapes: the event's data, or the answer for a quote with a stream of its own. */
  recorded: text().notNull(),
  /** The schema version of the event that `recorded` comes from. */
  version: integer().notNull().default(1),
});

/** One row per quote, for lists. */
export const quotes = pgTable(
  "quotes",
  {
    organisationId: text("organisation_id").notNull(),
    quotedAt: quotedAtColumn(),
    quotesId: uuid("quotes_id").notNull(),
    /** The result's number in its request, from 1; 0 for a quote with a stream of its own. */
    number: integer().notNull(),
    customerId: text("customer_id").notNull(),
    services: integer().notNull(), // how many have a price
    /** Null when nothing could be priced. */
    cheapestService: text("cheapest_service"),
    cheapestTotal: numeric("cheapest_total"),
    noQuoteMessage: text("no_quote_message").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organisationId, table.quotedAt, table.quotesId, table.number] }),
    index("quotes_by_customer").on(table.organisationId, table.customerId, table.quotedAt, table.quotesId, table.number),
  ],
);
