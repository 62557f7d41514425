import { boolean, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

/**
 * Rows that a later import corrects or is about to correct. An entry is deleted when the correcting import fails, is cancelled or is
 * refused the row. It is also deleted when the correcting row is reversed, unless that row is itself corrected or dismissed.
 */
export const rowCorrections = pgTable(
  "row_corrections",
  {
    /** The import that has the row to correct. */
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    correctionId: uuid("correction_id").notNull(),
    /** The number of the row in the correcting import. */
    correctionRow: integer("correction_row").notNull(),
    /** `submitted` until the worker has claimed the row, `corrected` when the correcting import has completed. */
    state: text({ enum: ["submitted", "claimed", "corrected"] }).notNull(),
    /** Whether the correcting row is reversed, by its number or with its whole import. */
    reversed: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.row, table.correctionId] }),
    index("row_corrections_by_correction").on(table.correctionId, table.correctionRow),
  ],
);

/** Rejected rows that are closed without a correction: dismissed ones, and rows of a correcting import whose claim was refused. */
export const finishedRows = pgTable(
  "finished_rows",
  {
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    state: text({ enum: ["dismissed", "corrected", "superseded", "withdrawn"] }).notNull(),
    /** The import that already corrects the row, or has written its shipment; null if the row was closed for another reason. */
    otherId: uuid("other_id"),
    note: text(),
    /** `kind:id`. */
    finishedBy: text("finished_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.row] })],
);

/** Imports that are reversed as a whole, which closes their open rejected rows. */
export const withdrawnImports = pgTable("withdrawn_imports", { importId: uuid("import_id").primaryKey() });
