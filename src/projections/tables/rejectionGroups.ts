import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { reasonInErrorSql } from "../../domain/rows/olderReasons.js";

/**
 * How many rows of a completed import were rejected for one reason, and their states. A line that was rejected only because of another line
 * of its shipment counts for that line's reason.
 */
export const rejectionGroups = pgTable(
  "rejection_groups",
  {
    importId: uuid("import_id").notNull(),
    /** MD5 of the reason, which may be too long for an index. */
    reasonKey: text("reason_key").notNull(),
    organisationId: text("organisation_id").notNull(),
    kind: text({ enum: ["shipments", "activities"] }).notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    reason: text().notNull(),
    rows: integer().notNull(),
    /** Includes superseded rows: queries find these in the ledger. */
    open: integer().notNull(),
    submitted: integer().notNull(),
    dismissed: integer().notNull(),
    corrected: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.importId, table.reasonKey] }),
    ...(["open", "submitted", "dismissed", "corrected"] as const).map((state) =>
      index(`rejection_groups_${state}`)
        .on(table.organisationId, table.kind, table.importPosition, table.reasonKey)
        .where(sql`${table[state]} > 0`),
    ),
  ],
);

/** SQL for the reason by which row `r` of the table `rejections` is grouped: its error, or that of the line at fault in its shipment. */
export const reasonSql = (r: string): string => `coalesce(
  (select lead.error from rejections lead where lead.import_position = ${r}.import_position and lead."row" = ${r}.lead),
  ${reasonInErrorSql(`${r}.error`)})`;

/** `reasonSql` for a query that reads all rows of an import and joins `lead`: a look-up for each row would take seconds. */
export const joinedReasonSql = `coalesce(lead.error, ${reasonInErrorSql("r.error")})`;

/** SQL for a rejected row's state in row_corrections and finished_rows; null if only the ledger or withdrawn_imports can close the row. */
export const storedStateSql = (importId: string, row: string): string => `coalesce(
  (select case when bool_or(c.state = 'corrected') then 'corrected' when count(*) > 0 then 'submitted' end
     from row_corrections c where c.import_id = ${importId} and c."row" = ${row}),
  (select d.state from finished_rows d where d.import_id = ${importId} and d."row" = ${row}))`;

/** SQL for `withdrawn` if the import is reversed as a whole, else null. Only a row that would be open is withdrawn. */
export const withdrawnSql = (importId: string): string => `(select 'withdrawn' from withdrawn_imports w where w.import_id = ${importId})`;

/** SQL for the states of an import's rejected rows. Open rows are left out. */
export const closedRowsSql = (importId: string): string => `
  select coalesce(c."row", d."row") as "row", coalesce(c.state, d.state) as state
    from (select "row", case when bool_or(state = 'corrected') then 'corrected' else 'submitted' end as state
            from row_corrections where import_id = ${importId} group by "row") as c
    full join (select "row", state from finished_rows where import_id = ${importId}) as d on d."row" = c."row"`;
