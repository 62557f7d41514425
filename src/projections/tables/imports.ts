import { sql } from "drizzle-orm";
import { bigint, index, integer, json, jsonb, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { RecordedFault } from "../../domain/rows/faults.js";
import type { ImportCompleted, ImportRequested } from "../../events/importEvents.js";

const timeColumn = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** SQL for the part of a text that the search compares: its beginning, since the whole may be too long for an index. */
export const searchKeySql = (text: string): string => `lower(left(${text}, 200))`;

export const imports = pgTable(
  "imports",
  {
    importId: uuid("import_id").primaryKey(),
    /** Commit position of ImportRequested: orders all imports, and is the key of the import's accepted and rejected rows. */
    position: bigint({ mode: "bigint" }).notNull().unique(),
    organisationId: text("organisation_id").notNull(),
    kind: text({ enum: ["shipments", "activities"] }).notNull(),
    source: text({ enum: ["data", "file"] }).notNull(),
    sourceDetails: text("source_details").notNull(),
    status: text({ enum: ["queued", "processing", "completed", "failed", "cancelled"] }).notNull(),
    progress: integer().notNull(),
    received: integer().notNull(),
    processed: integer().notNull(),
    failed: integer().notNull(),
    fileKey: text("file_key").notNull(),
    fileName: text("file_name").notNull(),
    fileSize: bigint("file_size", { mode: "number" }).notNull(),
    fileSha256: text("file_sha256").notNull(),
    /** `kind:id`. */
    requestedBy: text("requested_by").notNull(),
    notes: jsonb().notNull(),
    /** The rows of another import that this one corrects. */
    corrects: jsonb().$type<NonNullable<ImportRequested["corrects"]>>(),
    /** An earlier import whose file has the same content, as ImportRequested has it. */
    sameFileAs: uuid("same_file_as"),
    /** `unusual` of ImportCompleted, with the number of unusual rows. Null if there are none. */
    unusual: jsonb().$type<{ readonly count: number; readonly kinds: NonNullable<ImportCompleted["unusual"]> }>(),
    reportKey: text("report_key"),
    errorMessage: text("error_message"),
    submittedAt: timeColumn("submitted_at").notNull(),
    startedAt: timeColumn("started_at"),
    finishedAt: timeColumn("finished_at"),
    /** Revision of the import's stream up to which the status is current. */
    revision: bigint({ mode: "bigint" }).notNull(),
    /** Revision up to which the projector has counted the rows and written them to their tables; -1 before the first. */
    counted: bigint({ mode: "bigint" }).notNull().default(sql`-1`),
    /** How many rows the import has. Set only between the recording of its end and the batch in which the projector writes the end. */
    recordedRows: integer("recorded_rows"),
  },
  (table) => [
    index("imports_by_organisation").on(table.organisationId, table.kind, table.position),
    // For each filter of the portal's list, an index in the list's order.
    index("imports_newest").on(table.organisationId, table.position),
    index("imports_by_status").on(table.organisationId, table.status, table.position),
    index("imports_by_kind_and_status").on(table.organisationId, table.kind, table.status, table.position),
    // For the imports that ended in recent days.
    index("imports_by_end").on(table.organisationId, table.finishedAt),
    // For the rows that the imports with one reference wrote, and for the search by the beginning of a reference or of a file's name.
    index("imports_by_reference").on(table.organisationId, sql.raw(`${searchKeySql("source_details")} text_pattern_ops`), table.finishedAt),
    index("imports_by_file_name")
      .on(table.organisationId, sql.raw(`${searchKeySql("file_name")} text_pattern_ops`))
      .where(sql`${table.source} = 'file'`),
    // For the newest imports with the same file, of which there may be many: a file can be pushed every minute.
    index("imports_by_file").on(table.organisationId, table.kind, table.fileSha256, table.position),
    index("imports_unfinished").on(table.status, table.organisationId),
    index("imports_ended_early").on(table.finishedAt).where(sql`${table.status} in ('cancelled', 'failed') and ${table.failed} > 0`),
  ],
);

export const rejections = pgTable(
  "rejections",
  {
    importPosition: bigint("import_position", { mode: "bigint" }).notNull(),
    row: integer().notNull(),
    /** The shipmentId of a shipment row, the reference of an activity row. */
    handle: text(),
    error: text().notNull(),
    /** For a line that was rejected with its shipment: the row of the line at fault. Otherwise null, as for older events. */
    lead: integer(),
    /** The event's faults. Null for a line that was rejected with its shipment, and if the event has none. */
    faults: json().$type<RecordedFault[]>(),
    /** The element of the JSON push that the row comes from. Null for lines of files and for activities. */
    element: integer(),
    /** json, not jsonb: the columns stay in the file's order. */
    data: json().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.importPosition, table.row] }),
    // For the lines of a shipment. A handle may be too long for an index.
    index("rejections_by_handle").on(sql`md5(${table.handle})`, table.importPosition),
    index("rejections_by_element").on(table.importPosition, table.element).where(sql`${table.element} is not null`),
  ],
);

export const checkpoints = pgTable("checkpoints", {
  projection: text().primaryKey(),
  commit: bigint({ mode: "bigint" }).notNull(),
  prepare: bigint({ mode: "bigint" }).notNull(),
  /** The event log that the tables are built from. */
  logId: uuid("log_id"),
  /** The last applied event of a stream that is never deleted (running/checkpoints.ts). Null if an older version wrote the checkpoint. */
  eventId: uuid("event_id"),
  eventStream: text("event_stream"),
  eventRevision: bigint("event_revision", { mode: "bigint" }),
  eventCommit: bigint("event_commit", { mode: "bigint" }),
  eventPrepare: bigint("event_prepare", { mode: "bigint" }),
  /** The shape of the tables that this checkpoint belongs to (projection.ts). */
  shape: integer().notNull().default(1),
  /** Everything recorded until this time is in the projection's tables. */
  updatedAt: timeColumn("updated_at").notNull(),
});
