import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

/** Rejected rows that a later import corrects, or is about to. Deleted when that import fails, is cancelled or is refused the row. */
export const rowCorrections = pgTable(
  "row_corrections",
  {
    /** The import whose row it is. */
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    correctionId: uuid("correction_id").notNull(),
    /** `submitted` until the worker has claimed the row, `corrected` when the correcting import has completed. */
    state: text({ enum: ["submitted", "claimed", "corrected"] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.row, table.correctionId] }),
    index("row_corrections_by_correction").on(table.correctionId),
  ],
);

/** Rejected rows that need no correction: dismissed ones, and rows of a correcting import that it was refused. */
export const finishedRows = pgTable(
  "finished_rows",
  {
    importId: uuid("import_id").notNull(),
    row: integer().notNull(),
    state: text({ enum: ["dismissed", "corrected", "superseded"] }).notNull(),
    /** The import that has the row instead. */
    otherId: uuid("other_id"),
    note: text(),
    /** `kind:id`. */
    finishedBy: text("finished_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.row] })],
);
