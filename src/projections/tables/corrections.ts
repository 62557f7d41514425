import { boolean, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

/**
 * Rows that a later import corrects, or is about to. Deleted when that import fails, is cancelled or is refused the row, and when its own row
 * is reversed and neither a correction nor a dismissal has that row.
 */
export const rowCorrections = pgTable(
  "row_corrections",
  {
    /** The import whose row it is. */
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    correctionId: uuid("correction_id").notNull(),
    /** The number of the row in the correcting import. */
    correctionRow: integer("correction_row").notNull(),
    /** `submitted` until the worker has claimed the row, `corrected` when the correcting import has completed. */
    state: text({ enum: ["submitted", "claimed", "corrected"] }).notNull(),
    /** The correcting import's own row is reversed, or withdrawn with its import. The entry stays while that row is corrected itself. */
    reversed: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.row, table.correctionId] }),
    index("row_corrections_by_correction").on(table.correctionId, table.correctionRow),
  ],
);

/** Rejected rows that are closed and need no correction: dismissed ones, and rows of a correcting import whose claim was refused. The state says why. */
export const finishedRows = pgTable(
  "finished_rows",
  {
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    state: text({ enum: ["dismissed", "corrected", "superseded", "withdrawn"] }).notNull(),
    /** The import that has the row instead. */
    otherId: uuid("other_id"),
    note: text(),
    /** `kind:id`. */
    finishedBy: text("finished_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.row] })],
);

/** Imports that are reversed as a whole: their rejected rows that were open are closed. */
export const withdrawnImports = pgTable("withdrawn_imports", { importId: uuid("import_id").primaryKey() });
