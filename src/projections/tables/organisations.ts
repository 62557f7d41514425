// src/projections/tables holds the drizzle definition of every table. After a change `npm run migrations` writes the SQL into drizzle/.
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";

export const organisations = pgTable("organisations", {
  id: text().primaryKey(),
  name: text().notNull(),
  timezone: text().notNull(),
  catalogueVersion: integer("catalogue_version").notNull(),
  /** Whether a person has dismissed the list of first steps, for everyone in the organisation. */
  firstStepsPutAway: boolean("first_steps_put_away").notNull().default(false),
  /** The revision of the organisation's stream up to which these rows include its events. */
  revision: bigint({ mode: "bigint" }).notNull(),
});

/** Every version is kept, since an import is judged by the version that it started with. */
export const catalogues = pgTable(
  "catalogues",
  {
    organisationId: text("organisation_id").notNull(),
    version: integer().notNull(),
    file: jsonb().notNull(),
    /** With `appliedBy` and `changes` (in sentences): null in rows that an earlier release wrote, until they are built again. */
    appliedAt: timestamp("applied_at", { withTimezone: true }),
    appliedBy: text("applied_by"),
    changes: text().array(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.version] })],
);

/** One row per secret: a key that was rotated has several. The SQL function `look_up_secrets_json` says which are valid. */
export const apiKeys = pgTable(
  "api_keys",
  {
    sha256: text().primaryKey(),
    keyId: text("key_id").notNull(),
    organisationId: text("organisation_id").notNull(),
    name: text().notNull(),
    prefix: text().notNull(),
    /** When the key was created, even if the secret is newer. */
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** `kind:id`; null in a row that an earlier version wrote, until the table is built again. */
    createdBy: text("created_by"),
    /** Null for a key that may do everything. */
    scopes: text().array(),
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
    /** When a rotation made the secret; null for the key's first one. */
    rotatedAt: timestamp("rotated_at", { withTimezone: true }),
    /** When a replaced secret ends; null for the key's newest one. */
    validUntil: timestamp("valid_until", { withTimezone: true }),
  },
  (table) => [index("api_keys_by_organisation").on(table.organisationId, table.keyId)],
);

/** Countries loaded with `localities import`; the data itself is in the object store. */
export const localityFiles = pgTable("locality_files", {
  country: text().primaryKey(),
  key: text().notNull(),
  sha256: text().notNull(),
  localities: integer().notNull(),
  revision: bigint({ mode: "bigint" }).notNull(),
});

/** Catalogue entries whose CatalogueApplied is not projected yet: a large change takes several appends and so several batches. */
export const catalogueChanges = pgTable(
  "catalogue_changes",
  {
    organisationId: text("organisation_id").notNull(),
    revision: bigint({ mode: "bigint" }).notNull(),
    type: text({ enum: ["CatalogueEntryPut", "CatalogueEntryRemoved"] }).notNull(),
    data: jsonb().notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.revision] })],
);

/** Which fields the columns of a file are mapped to, by the import kind and the set of headings. */
export const columnChoices = pgTable(
  "column_choices",
  {
    organisationId: text("organisation_id").notNull(),
    kind: text({ enum: ["shipments", "activities"] }).notNull(),
    /** A hash of the headings, whatever their order. */
    headingsKey: text("headings_key").notNull(),
    choice: jsonb().notNull(),
    chosenBy: text("chosen_by").notNull(),
    chosenAt: timestamp("chosen_at", { withTimezone: true, precision: 3 }).notNull(),
    /** The revision of the organisation's stream, which orders the choices. */
    revision: bigint({ mode: "bigint" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organisationId, table.kind, table.headingsKey] }),
    index("column_choices_by_revision").on(table.organisationId, table.kind, table.revision),
  ],
);

const timeColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The people of the organisations. No other table has their names, and only `member_claims` has their e-mails too. */
export const members = pgTable(
  "members",
  {
    memberId: uuid("member_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    email: text().notNull(),
    /** The e-mail in the form in which e-mails are compared. */
    emailKey: text("email_key").notNull(),
    name: text(),
    role: text({ enum: ["admin", "operator", "viewer"] }).notNull(),
    status: text({ enum: ["invited", "active", "removed"] }).notNull(),
    passwordHash: text("password_hash"),
    linkSha256: text("link_sha256"),
    linkExpiresAt: timeColumn("link_expires_at"),
    invitedAt: timeColumn("invited_at").notNull(),
    joinedAt: timeColumn("joined_at"),
    removedAt: timeColumn("removed_at"),
    /** Revision of the last event that ends the member's sessions: joined, password, role, removed, invited again. */
    credentialsRevision: bigint("credentials_revision", { mode: "bigint" }).notNull(),
    /** Revision of the member's stream. An older event never overwrites a newer one. */
    revision: bigint({ mode: "bigint" }).notNull(),
  },
  (table) => [
    uniqueIndex("members_by_email").on(table.organisationId, table.emailKey),
    index("members_by_email_alone").on(table.emailKey),
    uniqueIndex("members_by_link").on(table.linkSha256),
  ],
);
