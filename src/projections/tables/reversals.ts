import { bigint, boolean, customType, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** A set of numbers, such as `{[2,5),[9,10)}`. */
const numbers = customType<{ data: string }>({ dataType: () => "int4multirange" });

/** What was reversed of which import. */
export const reversals = pgTable(
  "reversals",
  {
    reversalId: uuid("reversal_id").primaryKey(),
    /** Commit position of RowsReversed. */
    position: bigint({ mode: "bigint" }).notNull().unique(),
    importId: uuid("import_id").notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    organisationId: text("organisation_id").notNull(),
    /** Everything that was not reversed before. `rows` and `shipments` are then null. */
    isAll: boolean("is_all").notNull(),
    rows: numbers(),
    /** The numbers of the shipments in the import; null for activities. */
    shipments: numbers(),
    /** How many activities or shipments. */
    count: integer().notNull(),
    reason: text().notNull(),
    /** `kind:id`. */
    reversedBy: text("reversed_by").notNull(),
    /** The reversal of the import whose rows this one had corrected, if it was made with it. */
    includedIn: uuid("included_in"),
    at: timestamp("at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    index("reversals_by_import").on(table.importId, table.position),
    index("reversals_by_import_position").on(table.importPosition),
    index("reversals_by_organisation").on(table.organisationId, table.position),
  ],
);
