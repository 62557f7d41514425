// Writes what the streams say to temporary tables, which Postgres compares with the tables of the projections. The temporary tables last
// as long as the caller's transaction.
import type { PoolClient } from "pg";
import { fieldsOf, isNumberField } from "../../domain/imports/fields.js";
import { instantOf } from "../../domain/imports/timestamp.js";
import type { RowAccepted } from "../../events/importEvents.js";
import type { RecordedImportEvent } from "../../events/importLayout.js";
import { type ImportFold, recountRows, shipmentGroupOf, shipmentNumberOf } from "./importFold.js";

/** Queries that give each temporary table the column types of the table that it is compared with. */
const columnSources = {
  audited_imports: `select import_id, position as import_position, organisation_id, kind, status, received, processed, failed, revision,
                           source_details, finished_at from imports`,
  audited_activities: "select *, null::bigint as half_hour from activities",
  audited_lines: `select import_position, "row", shipment, "values", ''::text as "group" from shipment_lines`,
  audited_rejections: `select import_position, "row", handle, error, lead, faults::jsonb as faults, element, data::jsonb as data from rejections`,
  audited_reversed_shipments: "select import_position, shipment_id from shipments",
  audited_uncounted_activities: "select * from uncounted_activities",
  audited_uncounted_imports: "select * from uncounted_imports",
  audited_activity_corrections: "select * from activity_corrections",
} as const;

type EvidenceTable = keyof typeof columnSources;

export type EvidenceWriter = Awaited<ReturnType<typeof createEvidenceWriter>>;

export async function createEvidenceWriter(client: PoolClient) {
  for (const [table, source] of Object.entries(columnSources))
    await client.query(`create temp table ${table} on commit drop as ${source} with no data`);
  let rows = new Map<EvidenceTable, unknown[]>();
  let count = 0;
  return {
    add(table: EvidenceTable, row: Readonly<Record<string, unknown>>): void {
      rows.set(table, rows.get(table) ?? []);
      rows.get(table)?.push(row);
      count += 1;
    },
    /** How many rows wait for `flush`. */
    pendingRows: () => count,
    async flush(): Promise<void> {
      for (const [table, tableRows] of rows)
        await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [storableJson(tableRows)]);
      rows = new Map();
      count = 0;
    },
  };
}

/** Puts U+FFFD in place of NUL and lone surrogates, as the tables do. The API rejects them in pushes, but a stream may still have some. */
function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\u")) return text;
  return text.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escaped) => (escaped.length > 2 ? "\ufffd" : escaped));
}

/** The status of an import by its last event. */
export const statusAtEnd = { ImportCompleted: "completed", ImportFailed: "failed", ImportCancelled: "cancelled" } as const;

export function addImport(writer: EvidenceWriter, fold: ImportFold): void {
  const { importId, requested, started, ended, revision } = fold;
  if (!requested) return;
  const { organisationId, kind, sourceDetails } = requested.data;
  const counts = recountRows(fold);
  const showsProcessed = ended ? ended.type === "ImportCompleted" : kind === "activities"; // until their import completes, shipments show 0
  writer.add("audited_imports", {
    import_id: importId,
    import_position: String(requested.position.commit),
    organisation_id: organisationId,
    kind,
    status: ended ? statusAtEnd[ended.type] : started ? "processing" : "queued",
    ...counts,
    processed: showsProcessed ? counts.processed : 0,
    revision: String(revision),
    source_details: sourceDetails,
    finished_at: ended?.data.at,
  });
}

/** Writes an outcome of a row, and nothing for other events. `fold` has the event already. */
export function addRow(writer: EvidenceWriter, fold: ImportFold, event: RecordedImportEvent | undefined): void {
  if (!fold.requested || (event?.type !== "RowAccepted" && event?.type !== "RowRejected")) return;
  const { kind } = fold.requested.data;
  const rowKey = { import_position: String(fold.requested.position.commit), row: event.data.row };
  if (event.type === "RowRejected") {
    const { shipmentId, reference, error, lead, faults, element, data } = event.data;
    const handle = kind === "shipments" ? shipmentId : reference;
    writer.add("audited_rejections", { ...rowKey, handle, error, lead, faults, element, data });
  } else if (kind === "activities") {
    writer.add("audited_activities", { ...rowKey, ...activityValues(event.data), half_hour: halfHourOf(event.data) });
  } else {
    const { values } = event.data;
    writer.add("audited_lines", { ...rowKey, shipment: shipmentNumberOf(event.data), values, group: shipmentGroupOf(fold, event.data) });
  }
}

export function activityValues({ values }: Pick<RowAccepted, "values">): Record<string, unknown> {
  const recorded = values as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    fieldsOf("activity").map((field) => {
      const value = recorded[field.name] ?? null;
      return [field.ledgerColumn, value === null ? null : isNumberField(field) ? Number(value) : String(value)];
    }),
  );
}

const halfHourSeconds = 30 * 60;

/** The start of the row's half hour, in seconds since 1970. Null if the row's time cannot be read: the totals then omit the row. */
function halfHourOf({ values }: RowAccepted): number | null {
  const instant = instantOf(String((values as Record<string, unknown>)["activityTimestamp"]), "UTC");
  return instant === undefined ? null : Math.floor(instant / 1000 / halfHourSeconds) * halfHourSeconds;
}
