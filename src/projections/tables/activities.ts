import { sql } from "drizzle-orm";
import {
  bigint,
  customType,
  index,
  integer,
  numeric,
  type PgColumnBuilderBase,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { fieldsOf, isNumberField, recordByField } from "../../domain/imports/fields.js";

/** One column for each field of an activity, by the field's name. */
const activityColumns = recordByField(fieldsOf("activity"), (field): PgColumnBuilderBase => {
  const column = isNumberField(field) ? numeric(field.ledgerColumn) : text(field.ledgerColumn);
  return field.required === "value" ? column.notNull() : column;
});

/** SQL for a reference as its index holds it: cut, since a reference may be too long for an index. */
export const referenceKeySql = (text: string): string => `left(${text}, 200)`;

/** Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`. */
export const activities = pgTable(
  "activities",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    ...activityColumns,
  },
  (table) => [
    primaryKey({ columns: [table.importPosition, table.row] }),
    // For the search by reference, import by import.
    index("activities_by_reference")
      .on(table.importPosition, sql.raw(`${referenceKeySql("reference")} text_pattern_ops`))
      .where(sql`${table.reference} is not null`),
  ],
);

/** Activities are summed by these columns. The customer id of a row without a customer is empty. */
const activityGroup = {
  organisationId: text("organisation_id").notNull(),
  customerId: text("customer_id").notNull(),
  warehouseCode: text("warehouse_code").notNull(),
  chargeCode: text("charge_code").notNull(),
};

/** The groups that have at least one activity. They are far fewer than activities, so queries for totals and lists go by group. */
export const activityGroups = pgTable("activity_groups", activityGroup, (table) => [
  primaryKey({ name: "activity_groups_pkey", columns: [table.organisationId, table.customerId, table.warehouseCode, table.chargeCode] }),
]);

/**
 * Sums of the activities that count, by completed import, group and half hour. They are written when the import completes; afterwards only
 * reversals and corrections of accepted rows change them.
 */
export const activityTotals = pgTable(
  "activity_totals",
  {
    ...activityGroup,
    /** When the half hour begins. In nearly every time zone days begin on a half hour. */
    halfHour: timestamp("half_hour", { withTimezone: true, precision: 3 }).notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    quantity: numeric().notNull(),
    /** The largest quantity of a single row. */
    largest: numeric(),
    rowCount: integer("row_count").notNull(),
    /** The numbers of the summed rows, ascending. */
    rowNumbers: integer("row_numbers").array().notNull(),
  },
  (table) => [
    primaryKey({
      name: "activity_totals_pkey",
      columns: [table.organisationId, table.customerId, table.warehouseCode, table.chargeCode, table.halfHour, table.importPosition],
    }),
    index("activity_totals_by_import").on(table.importPosition),
  ],
);

/**
 * The activities that count, counted by code and day. They tell an import which codes are in use and how much of a charge code is usual,
 * without reading earlier activities. A row exists only while at least one of its activities counts.
 */
export const activityCodes = pgTable(
  "activity_codes",
  {
    organisationId: text("organisation_id").notNull(),
    field: text({ enum: ["chargeCode", "warehouseCode"] }).notNull(),
    code: text().notNull(),
    /** Days since 1970, in UTC. */
    day: integer().notNull(),
    rowCount: integer("row_count").notNull(),
    /** The largest quantity of a single activity; null for warehouse codes. */
    largest: numeric(),
  },
  (table) => [primaryKey({ name: "activity_codes_pkey", columns: [table.organisationId, table.field, table.code, table.day] })],
);

export const contentBlockBits = 15;

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/**
 * A 64-bit hash of each activity's content (domain/rows/activityHash.ts), by the activity's day: an import looks for activities that it
 * repeats among those of the same days. A hash stays when its activity no longer counts.
 */
export const activityContents = pgTable(
  "activity_contents",
  {
    organisationId: text("organisation_id").notNull(),
    /** Days since 1970, in UTC. */
    day: integer().notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    /** The activities of one block have row numbers that differ in the last 15 bits only. */
    block: integer().notNull(),
    /** The low halves of the hashes: 4 bytes for each row. */
    lows: bytes().notNull(),
    /** For each row the high half of its hash and its row number: 8 bytes. */
    rest: bytes().notNull(),
  },
  (table) => [
    primaryKey({
      name: "activity_contents_pkey",
      columns: [table.organisationId, table.day, table.importPosition, table.block],
    }),
    index("activity_contents_by_import").on(table.importPosition),
  ],
);

/** Single activities that do not count: those reversed by their row numbers, and those that another row replaces. */
export const uncountedActivities = pgTable(
  "uncounted_activities",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    /** Commit position of the RowsReversed that names the row. */
    reversedPosition: bigint("reversed_position", { mode: "bigint" }),
    /** The position of the import whose row counts instead; `replacedByRow` is that row. */
    replacedByPosition: bigint("replaced_by_position", { mode: "bigint" }),
    replacedByRow: integer("replaced_by_row"),
  },
  (table) => [primaryKey({ name: "uncounted_activities_pkey", columns: [table.importPosition, table.row] })],
);

/** Activity imports that are reversed as a whole: none of their rows counts. */
export const uncountedImports = pgTable("uncounted_imports", {
  importPosition: bigint("import_position", { mode: "bigint" }).primaryKey(),
  /** Commit position of the RowsReversed. */
  reversedPosition: bigint("reversed_position", { mode: "bigint" }).notNull(),
});

/** SQL for whether activity `a` of a completed import counts. */
export const isCountedSql = (a: string): string => `
  not exists (select from uncounted_imports u where u.import_position = ${a}.import_position)
  and not exists (select from uncounted_activities u where u.import_position = ${a}.import_position and u."row" = ${a}."row")`;

/**
 * The rows that were pushed to correct an accepted activity, directly or as a correction of such a correction. Of the activity and these
 * rows, only the one pushed last counts, among those not reversed.
 */
export const activityCorrections = pgTable(
  "activity_corrections",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    /** The accepted activity with which the chain of corrections begins. */
    firstPosition: bigint("first_position", { mode: "bigint" }).notNull(),
    firstRow: integer("first_row").notNull(),
  },
  (table) => [
    primaryKey({ name: "activity_corrections_pkey", columns: [table.importPosition, table.row] }),
    index("activity_corrections_by_first").on(table.firstPosition, table.firstRow),
  ],
);

/**
 * How totals changed after their imports completed: less for rows that were reversed or replaced, more for rows that count again. The
 * totals as of an earlier time are the present ones less the later changes.
 */
export const activityChanges = pgTable(
  "activity_changes",
  {
    ...activityGroup,
    halfHour: timestamp("half_hour", { withTimezone: true, precision: 3 }).notNull(),
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    /** Commit position of the event that changed them: RowsReversed, or ImportCompleted of an import that corrects accepted rows. */
    changedPosition: bigint("changed_position", { mode: "bigint" }).notNull(),
    changedAt: timestamp("changed_at", { withTimezone: true, precision: 3 }).notNull(),
    /** The position of the import that completed; null for a reversal. */
    byImport: bigint("by_import", { mode: "bigint" }),
    quantity: numeric().notNull(),
    rowCount: integer("row_count").notNull(),
    rowNumbers: integer("row_numbers").array().notNull(),
  },
  (table) => [
    primaryKey({
      name: "activity_changes_pkey",
      columns: [
        table.organisationId,
        table.customerId,
        table.warehouseCode,
        table.chargeCode,
        table.halfHour,
        table.importPosition,
        table.changedPosition,
      ],
    }),
    index("activity_changes_by_time").on(table.organisationId, table.changedAt),
    index("activity_changes_by_import").on(table.importPosition),
  ],
);

/**
 * SQL for the instant of an activity's timestamp, which is kept as it was sent; null for a text that is no timestamp. Fractions of a
 * second are cut after milliseconds, as workers do.
 */
export const instantSql = (text: string): string =>
  `case when ${hasLongFractionSql(text)} then ${instantIfValidSql(toMillisecondsSql(text))} else ${instantIfValidSql(text)} end`;

const hasLongFractionSql = (text: string) => `length(${text}) > 25 or ${text} like '%,%'`;
const toMillisecondsSql = (text: string) => `regexp_replace(replace(${text}, ',', '.'), '(\\.\\d{3})\\d+', '\\1')`;
const instantIfValidSql = (text: string) => `case when pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end`;

/** SQL for the beginning of the half hour in which an instant lies. */
export const halfHourSql = (instant: string): string => `date_bin('30 minutes', ${instant}, timestamptz '2000-01-01 00:00:00Z')`;

export const halfHourMs = 30 * 60 * 1000;

/** SQL for the day of an instant, as the number of days since 1970 in UTC. */
export const daySql = (instant: string): string => `floor(extract(epoch from ${instant}) / 86400)::integer`;

/** The shape of these tables (projection.ts). 2 added the figures for finding unusual rows; 3 enlarged the blocks of contents. */
export const activitiesShape = 3;

/**
 * The totals cut customer, warehouse and charge codes to this length. Longer ones are rejected today, but those that an older version
 * accepted must still fit into an index.
 */
export const maxCodeLength = 200;
