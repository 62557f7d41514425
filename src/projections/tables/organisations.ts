// src/projections/tables holds the drizzle definition of every table. After a change `npm run migrations` writes the SQL into drizzle/.
import { bigint, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

export const organisations = pgTable("organisations", {
  id: text().primaryKey(),
  name: text().notNull(),
  timezone: text().notNull(),
  catalogueVersion: integer("catalogue_version").notNull(),
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
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.version] })],
);

export const apiKeys = pgTable("api_keys", {
  sha256: text().primaryKey(),
  keyId: text("key_id").notNull(),
  organisationId: text("organisation_id").notNull(),
  name: text().notNull(),
  prefix: text().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
});

/** Countries loaded with `localities import`; the data itself is in the object store. */
export const localityFiles = pgTable("locality_files", {
  country: text().primaryKey(),
  key: text().notNull(),
  sha256: text().notNull(),
  localities: integer().notNull(),
  revision: bigint({ mode: "bigint" }).notNull(),
});

/** Entries of a catalogue change whose CatalogueApplied is not projected yet: a large change takes several appends, and so several batches. */
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
