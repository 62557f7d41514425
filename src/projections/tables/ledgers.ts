import { bigint, integer, jsonb, numeric, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`. */
export const activities = pgTable(
  "activities",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    warehouseCode: text("warehouse_code").notNull(),
    chargeCode: text("charge_code").notNull(),
    quantity: numeric().notNull(),
    activityTimestamp: text("activity_timestamp").notNull(),
    customerId: text("customer_id"),
    reference: text(),
    status: text(),
  },
  (table) => [primaryKey({ columns: [table.importPosition, table.row] })],
);

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

export const shipments = pgTable(
  "shipments",
  {
    organisationId: text("organisation_id").notNull(),
    shipmentId: text("shipment_id").notNull(),
    /** The shipment's own fields as pushed, without its goods lines. */
    fields: jsonb().notNull(),
    items: jsonb().notNull(),
    sourceDetails: text("source_details").notNull(),
    importId: uuid("import_id").notNull(),
    updatedAt: timestamp("updated_at", { withTimezone: true, precision: 3 }).notNull(),
    /** Commit position of the ImportRequested that wrote this version. The later push wins, whichever import ran first. */
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.shipmentId] })],
);
