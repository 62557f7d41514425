import { bigint, integer, jsonb, numeric, type PgColumnBuilderBase, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { byField, fieldsOf, isNumber } from "../../domain/imports/fields.js";

/** One column for each field of an activity, by the field's name. */
const activityColumns = byField(fieldsOf("activity"), (field): PgColumnBuilderBase => {
  const column = isNumber(field) ? numeric(field.ledgerColumn) : text(field.ledgerColumn);
  return field.required === "value" ? column.notNull() : column;
});

/** Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`. */
export const activities = pgTable(
  "activities",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    ...activityColumns,
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
