import { type SQL, sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** Goods lines of running shipment imports. ImportCompleted moves all of them into `shipments`. */
export const shipmentLines = pgTable(
  "shipment_lines",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    shipment: integer().notNull(),
    values: jsonb().notNull(),
  },
  (table) => [primaryKey({ columns: [table.importPosition, table.row] })],
);

/** Indexes cut values to this length. Longer ones are rejected today, but those that an older version accepted must still fit. */
export const maxShipmentKeyLength = 200;

/** SQL for a field of a shipment as its index holds it, cut to the maximum length. */
export const shipmentKeySql = (field: "customerId" | "originPostCode" | "destinationPostCode"): SQL =>
  sql.raw(`"left"("fields" ->> '${field}', ${maxShipmentKeyLength})`);

const versionColumns = {
  organisationId: text("organisation_id").notNull(),
  shipmentId: text("shipment_id").notNull(),
  /** The shipment's own fields as pushed, without its goods lines. */
  fields: jsonb().notNull(),
  items: jsonb().notNull(),
  sourceDetails: text("source_details").notNull(),
  importId: uuid("import_id").notNull(),
  updatedAt: timestamp("updated_at", { withTimezone: true, precision: 3 }).notNull(),
  /** Commit position of the ImportRequested that wrote this version. The ledger shows the version pushed last. */
  importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
};

export const shipments = pgTable("shipments", versionColumns, (table) => [
  primaryKey({ columns: [table.organisationId, table.shipmentId] }),
  // One index for each filter of the list, in the list's order. Filters by reference or time go through the imports.
  index("shipments_by_import").on(table.importPosition, table.shipmentId),
  index("shipments_by_customer").on(table.organisationId, shipmentKeySql("customerId"), table.shipmentId),
  index("shipments_by_origin").on(table.organisationId, shipmentKeySql("originPostCode"), table.shipmentId),
  index("shipments_by_destination").on(table.organisationId, shipmentKeySql("destinationPostCode"), table.shipmentId),
]);

/** Versions of shipments that are hidden by a version pushed later. If that one is reversed, the latest hidden version is shown again. */
export const hiddenShipments = pgTable("hidden_shipments", versionColumns, (table) => [
  primaryKey({ name: "hidden_shipments_pkey", columns: [table.organisationId, table.shipmentId, table.importPosition] }),
  index("hidden_shipments_by_import").on(table.importPosition, table.shipmentId),
]);

/**
 * Which import wrote which shipment, and where the events of that version of the shipment are. Written as the lines are recorded; a version
 * counts when shipment_imports has its import.
 */
export const shipmentVersions = pgTable(
  "shipment_versions",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    /** The shipment's number in the import. */
    shipment: integer().notNull(),
    organisationId: text("organisation_id").notNull(),
    shipmentId: text("shipment_id").notNull(),
    /** The revisions of its lines in the import's stream, ascending. */
    revisions: integer().array().notNull(),
  },
  (table) => [
    primaryKey({ name: "shipment_versions_pkey", columns: [table.importPosition, table.shipment] }),
    index("shipment_versions_by_shipment").on(table.organisationId, table.shipmentId, table.importPosition),
  ],
);

/** The shipment imports that completed. */
export const shipmentImports = pgTable("shipment_imports", {
  importPosition: bigint("import_position", { mode: "bigint" }).primaryKey(),
  importId: uuid("import_id").notNull(),
  organisationId: text("organisation_id").notNull(),
  /** Commit position of ImportCompleted: tells which of two imports completed first. */
  completedPosition: bigint("completed_position", { mode: "bigint" }).notNull(),
  /** When the import completed, by the event store's clock. */
  completedAt: timestamp("completed_at", { withTimezone: true, precision: 3 }).notNull(),
});
