// Not projections: short-lived state through which several processes work together. If it is lost, workers restore what imports need, and
// people may have to sign in or upload a file again.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, json, jsonb, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

const timeColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** One row per queued or running import. The row is inserted before ImportRequested is appended, so that the queue's limit is exact. */
export const importQueue = pgTable(
  "import_queue",
  {
    importId: uuid("import_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    /** Commit position of ImportRequested, which is the queue's order; null until the append is acknowledged. */
    position: bigint({ mode: "bigint" }),
    /** Ascends in the order in which an organisation's places were reserved. */
    reservedAt: timeColumn("reserved_at").notNull().default(sql`now()`),
    cancelRequested: boolean("cancel_requested").notNull().default(false),
    progress: integer().notNull().default(0),
    /** The number of rows in its file; null until a worker has counted them. */
    allRows: integer("all_rows"),
    attempts: integer().notNull().default(0),
    /** No worker takes the import before this time, such as after an outage. */
    notBefore: timeColumn("not_before"),
    /** Whether a worker has started the import. It then runs before older imports that are restored later: only one may be half done. */
    started: boolean().notNull().default(false),
    /** With the hash, lets another push of the same file find this import before it is recorded. Null if unknown. */
    kind: text({ enum: ["shipments", "activities"] }),
    /** Null if unknown, and for a correction. */
    fileSha256: text("file_sha256"),
  },
  (table) => [index("import_queue_by_organisation").on(table.organisationId, table.position)],
);

/** Which worker has each organisation's turn, and when the last turn began (`served_at`). All times are by the database's clock. */
export const organisationTurns = pgTable("organisation_turns", {
  organisationId: text("organisation_id").primaryKey(),
  importId: uuid("import_id"),
  worker: text(),
  expiresAt: timeColumn("expires_at"),
  servedAt: timeColumn("served_at"),
});

/**
 * Error reports that are made after the import has ended: those of cancelled and failed imports, and those that the API found missing.
 * If a row is lost, its report is made again.
 */
export const lateReports = pgTable("late_reports", {
  importId: uuid("import_id").primaryKey(),
  /** Until this time one worker may make the report. After a failure no worker tries before it; the delay grows with each attempt. */
  claimedUntil: timeColumn("claimed_until").notNull(),
  attempts: integer().notNull(),
  /** Null until the report is stored. */
  reportKey: text("report_key"),
});

/**
 * Stored uploads of pushes that were answered 503 and are known not to be in the event log. No other uploads are ever removed. If a row
 * is lost, its file stays.
 */
export const refusedUploads = pgTable("refused_uploads", {
  key: text().primaryKey(),
  importId: uuid("import_id").notNull(),
  logId: uuid("log_id").notNull(),
  refusedAt: timeColumn("refused_at").notNull().default(sql`now()`),
});

/**
 * Files that are kept in the object store for a day, until a person has chosen their columns or has submitted the checked file. If a row is
 * lost, the person sends the file again.
 */
export const keptFiles = pgTable(
  "kept_files",
  {
    fileId: uuid("file_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    kind: text({ enum: ["shipments", "activities"] }).notNull(),
    name: text().notNull(),
    format: text({ enum: ["csv", "xlsx"] }).notNull(),
    size: bigint({ mode: "bigint" }).notNull(),
    sha256: text().notNull(),
    sourceDetails: text("source_details").notNull(),
    objectKey: text("object_key").notNull(),
    /** The header row, and some values of each column. */
    columns: jsonb().notNull(),
    values: jsonb().notNull(),
    /** Remarks on how the file is read. */
    notes: jsonb().notNull().default([]),
    /** The last check; null for a file that was not checked. json, not jsonb: the headings stay in the file's order. */
    checked: json(),
    /** The import that the file became; null until a person has submitted it. */
    importId: uuid("import_id"),
    keptAt: timeColumn("kept_at").notNull().default(sql`now()`),
  },
  (table) => [index("kept_files_by_organisation").on(table.organisationId, table.keptAt)],
);

/** One row per API key: the key's current minute, which begins with a request, and the number of requests in it so far. */
export const rateWindows = pgTable("rate_windows", {
  keyId: text("key_id").primaryKey(),
  windowStart: timeColumn("window_start").notNull(),
  used: integer().notNull(),
});

/** When each secret of a key was last used, to the minute: a row is written at most once a minute. */
export const keyUses = pgTable(
  "key_uses",
  {
    keyId: text("key_id").notNull(),
    /** Empty in a row that an earlier version wrote: it means the key's first secret, which was then its only one. */
    sha256: text().notNull().default(""),
    lastUsedAt: timeColumn("last_used_at").notNull(),
  },
  (table) => [primaryKey({ name: "key_uses_pkey", columns: [table.keyId, table.sha256] })],
);

/** Signed-in browsers. Valid as long as the member's credentials are those of the sign-in: see `members.credentials_revision`. */
export const sessions = pgTable(
  "sessions",
  {
    tokenSha256: text("token_sha256").primaryKey(),
    /** Identifies the session to its member, who may end it. */
    sessionId: uuid("session_id").notNull().defaultRandom(),
    memberId: uuid("member_id").notNull(),
    /** Such as "Firefox on Windows". Null for sessions that an earlier version opened. */
    browser: text(),
    credentialsRevision: bigint("credentials_revision", { mode: "bigint" }).notNull(),
    createdAt: timeColumn("created_at").notNull().default(sql`now()`),
    /** When the session was last used, to the minute. */
    lastSeenAt: timeColumn("last_seen_at").notNull().default(sql`now()`),
  },
  (table) => [index("sessions_by_member").on(table.memberId), index("sessions_by_last_seen").on(table.lastSeenAt)],
);

/**
 * The member id of an e-mail in an organisation. It is decided before the first event, so that two invitations at the same time append to
 * one stream, which accepts one of them. Kept until the member is erased.
 */
export const memberClaims = pgTable(
  "member_claims",
  {
    organisationId: text("organisation_id").notNull(),
    emailKey: text("email_key").notNull(),
    memberId: uuid("member_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.emailKey] })],
);

/** Recent wrong passwords: by address, and for each account by address or known browser. Keys are hashes with the service's secret. */
export const signInFailures = pgTable(
  "sign_in_failures",
  {
    key: text().primaryKey(),
    failures: integer().notNull(),
    lastAt: timeColumn("last_at").notNull(),
  },
  (table) => [index("sign_in_failures_by_time").on(table.lastAt)],
);

/** When passwords of an account were tried in the last hour. A known browser has its own row. Keys are hashes with the service's secret. */
export const signInGuesses = pgTable("sign_in_guesses", {
  key: text().primaryKey(),
  guessedAt: timestamp("guessed_at", { withTimezone: true }).array().notNull(),
});

/** Tokens that browsers brought back from single sign-on or a sign-in form, kept until they expire so that none is accepted twice. */
export const usedStates = pgTable("used_states", {
  sha256: text().primaryKey(),
  expiresAt: timeColumn("expires_at").notNull(),
});

/** The last organisation file that each person has uploaded and not yet applied, kept for an hour. If lost, the person uploads it again. */
export const catalogueUploads = pgTable(
  "catalogue_uploads",
  {
    organisationId: text("organisation_id").notNull(),
    memberId: uuid("member_id").notNull(),
    uploadId: uuid("upload_id").notNull(),
    fileName: text("file_name").notNull(),
    file: jsonb().notNull(),
    uploadedAt: timeColumn("uploaded_at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.memberId] })],
);
