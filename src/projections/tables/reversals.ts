import { bigint, boolean, customType, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** A set of numbers, such as `{[2,5),[9,10)}`. */
const numberRanges = customType<{ data: string }>({ dataType: () => "int4multirange" });

/** One row per reversal: the import and the rows that it reversed. */
export const reversals = pgTable(
  "reversals",
  {
    reversalId: uuid("reversal_id").primaryKey(),
    /** Commit position of RowsReversed. */
    position: bigint({ mode: "bigint" }).notNull().unique(),
    importId: uuid("import_id").notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    organisationId: text("organisation_id").notNull(),
    /** Whether it reversed everything that was not reversed before. `rows` and `shipments` are then null. */
    isAll: boolean("is_all").notNull(),
    rows: numberRanges(),
    /** The numbers of the shipments in the import; null for activities. */
    shipments: numberRanges(),
    /** How many activities or shipments it reversed. */
    count: integer().notNull(),
    reason: text().notNull(),
    /** `kind:id`. */
    reversedBy: text("reversed_by").notNull(),
    /** The reversal that brought this one about: it reversed the import whose rows this import had corrected. Null for one made alone. */
    includedIn: uuid("included_in"),
    at: timestamp("at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    index("reversals_by_import").on(table.importId, table.position),
    index("reversals_by_import_position").on(table.importPosition),
    index("reversals_by_organisation").on(table.organisationId, table.position),
  ],
);
