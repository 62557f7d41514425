// Not projections: the short-lived state that lets several processes work together. Losing it loses nothing but a moment.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

const at = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** One row per import that waits or runs. Reserved before ImportRequested is appended, so that the queue's depth is exact. */
export const importQueue = pgTable(
  "import_queue",
  {
    importId: uuid("import_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    /** Commit position of ImportRequested once it is known; null while only reserved. Oldest first goes by this. */
    position: bigint({ mode: "bigint" }),
    reservedAt: at("reserved_at").notNull().default(sql`now()`),
    cancelRequested: boolean("cancel_requested").notNull().default(false),
    progress: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
    /** A worker that met an outage leaves the import alone until then. */
    notBefore: at("not_before"),
    /** A worker has begun with it: it comes before older ones that turn up later, so that two are never half done. */
    started: boolean().notNull().default(false),
  },
  (table) => [index("import_queue_by_organisation").on(table.organisationId, table.position)],
);

/** Imports that have ended and given their place back, in the order they did, until the table of imports shows it. */
export const endedImports = pgTable(
  "ended_imports",
  {
    number: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    importId: uuid("import_id").notNull().unique(),
    organisationId: text("organisation_id").notNull(),
    position: bigint({ mode: "bigint" }).notNull(),
    endedAt: at("ended_at").notNull().default(sql`now()`),
  },
  (table) => [index("ended_imports_by_organisation").on(table.organisationId)],
);

/** Whose turn it is in each organisation. Times are the database's clock only. */
export const organisationTurns = pgTable("organisation_turns", {
  organisationId: text("organisation_id").primaryKey(),
  importId: uuid("import_id"),
  worker: text(),
  expiresAt: at("expires_at"),
  servedAt: at("served_at"),
});

/**
 * Error reports of imports that ended with rejected rows and without recording a report: the cancelled and the failed. Each is made
 * from its stream afterwards; one that is forgotten here is made again.
 */
export const lateReports = pgTable("late_reports", {
  importId: uuid("import_id").primaryKey(),
  /** A worker is at it until then; also how long a report that could not be made is left alone, longer after each attempt. */
  claimedUntil: at("claimed_until").notNull(),
  attempts: integer().notNull(),
  /** Null until the report is stored. */
  reportKey: text("report_key"),
});

/**
 * Stored uploads of pushes that were answered 503 and are known not to be in the log: the only ones that are ever swept. Forgetting one
 * only keeps its file.
 */
export const refusedUploads = pgTable("refused_uploads", {
  key: text().primaryKey(),
  importId: uuid("import_id").notNull(),
  logId: uuid("log_id").notNull(),
  refusedAt: at("refused_at").notNull().default(sql`now()`),
});

/** One row per key: a minute that begins with its first request, and the requests counted in it so far. */
export const rateWindows = pgTable("rate_windows", {
  keyId: text("key_id").primaryKey(),
  windowStart: at("window_start").notNull(),
  used: integer().notNull(),
});
