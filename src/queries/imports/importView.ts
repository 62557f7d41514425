import { getTableColumns } from "drizzle-orm";
import type { Pool } from "pg";
import { progressOf, readingPercent } from "../../domain/imports/progress.js";
import type { UnusualKind } from "../../domain/imports/unusual.js";
import type { ImportKind } from "../../events/importEvents.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { imports } from "../../projections/tables/imports.js";

export type ImportStatus = (typeof imports.$inferSelect)["status"];

type ImportFields = "importId" | "kind" | "source" | "status" | "progress" | "sourceDetails" | "sameFileAs";
type ImportTimes = "submittedAt" | "startedAt" | "finishedAt";

/**
 * The contract's Import, with the report's key in place of its link. `sourceDetails` includes the notes. `sameFileAs` is an earlier import
 * with the same file, as found when this one was pushed.
 */
export interface ImportView extends Readonly<Pick<typeof imports.$inferSelect, ImportFields | ImportTimes | "errorMessage" | "reportKey">> {
  readonly counts: { readonly received: number; readonly processed: number; readonly failed: number };
  /** `sourceDetails` as the caller sent it, without the notes. */
  readonly reference: string;
  /** Remarks on how the file was read. */
  readonly notes: readonly string[];
  /** True after a cancellation was requested, until the tables show the import as ended. */
  readonly cancelling: boolean;
  /** The reversed part of the import; null if nothing is reversed. */
  readonly reversed: ReversedPart | null;
  /** The rows of another import that this one corrects. */
  readonly correctionOf: { readonly importId: string; readonly rows: readonly number[]; readonly reason?: string | undefined } | null;
  /** How many of its accepted rows are unusual, and in which ways. */
  readonly unusual: UnusualCounts | null;
}

export interface UnusualCounts {
  /** The number of unusual rows. A row of several kinds is counted once. */
  readonly count: number;
  readonly kinds: { readonly kind: UnusualKind; readonly count: number }[];
}

export interface ReversedPart {
  /** The number of reversed activities or shipments. */
  readonly rows: number;
  readonly all: boolean;
  /** The time of the last reversal, as ISO 8601. */
  readonly at: string;
}

/** A row of `imports`, joined with the import's row in the queue, its late report and its reversals. */
export type ImportRow = Omit<typeof imports.$inferSelect, "unusual"> & {
  readonly unusual: UnusualCounts | null;
  /** Null when the import has no place in the queue. */
  readonly queueProgress: number | null;
  /** The number of rows in the file; null until a worker has counted them. */
  readonly allRows: number | null;
  readonly cancelRequested: boolean | null;
  /** The key of a report that was made after the import had ended; null unless it is stored. */
  readonly lateReportKey: string | null;
  readonly reversed: ReversedPart | null;
};

/** All columns but `unusual`, which `importsSql` reads without its long lists of rows. */
const columns = Object.entries({ ...getTableColumns(imports), unusual: undefined }).flatMap(([field, column]) =>
  column === undefined ? [] : `i.${column.name} as "${field}"`,
);

const importsSql = `/* prepared */ select ${columns.join(", ")},
       q.progress as "queueProgress", q.all_rows as "allRows", q.cancel_requested as "cancelRequested", l.report_key as "lateReportKey",
       (select json_build_object('rows', sum(r.count), 'all', bool_or(r.is_all) or sum(r.count) = i.processed,
                                 'at', to_char(max(r.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          from reversals r where r.import_id = i.import_id having count(*) > 0) as reversed,
       (select json_build_object('count', i.unusual -> 'count',
                                 'kinds', json_agg(json_build_object('kind', k.kind -> 'kind', 'count', k.kind -> 'count') order by k.number))
          from jsonb_array_elements(i.unusual -> 'kinds') with ordinality as k (kind, number) having count(*) > 0) as unusual
  from imports i left join import_queue q on q.import_id = i.import_id left join late_reports l on l.import_id = i.import_id`;

/** `clause` is the end of the statement, from `where` on, with `:name` for each value. */
export async function readImportRows(clause: string, values: Readonly<Record<string, unknown>>, pool: Database): Promise<ImportRow[]> {
  const { rows } = await pool.query<ImportRow>(bindNames(`${importsSql} ${clause}`, values));
  return rows.map((row) => ({
    ...row,
    position: BigInt(row.position),
    revision: BigInt(row.revision),
    counted: BigInt(row.counted),
    fileSize: Number(row.fileSize),
  }));
}

export async function findImportRow(
  organisationId: string,
  { kind, importId }: { kind: ImportKind | undefined; importId: string },
  pool: Database,
): Promise<ImportRow | undefined> {
  const [row] = await readImportRows(
    "where i.import_id = :importId and i.organisation_id = :organisationId",
    { importId, organisationId },
    pool,
  );
  return kind === undefined || row?.kind === kind ? row : undefined;
}

export const isEnded = (status: ImportStatus): boolean => status === "completed" || status === "failed" || status === "cancelled";

export function viewOf(row: ImportRow): ImportView {
  const { importId, kind, source, status, submittedAt, startedAt, finishedAt, errorMessage } = row;
  return {
    importId,
    kind,
    source,
    status,
    progress: status === "processing" ? progressSoFar(row) : row.progress,
    counts: countsOf(row),
    sourceDetails: detailsWithNotes(row.sourceDetails, row.notes),
    reference: row.sourceDetails,
    notes: noteTexts(row.notes),
    cancelling: !isEnded(status) && (row.cancelRequested === true || finishedAt !== null),
    submittedAt,
    startedAt,
    finishedAt: isEnded(status) ? finishedAt : null,
    errorMessage,
    // A table that is being filled from the event log may show an import as running although its report already exists.
    reportKey: isEnded(status) ? (row.reportKey ?? row.lateReportKey) : null,
    reversed: row.reversed,
    correctionOf: row.corrects,
    sameFileAs: row.sameFileAs,
    unusual: row.unusual,
  };
}

/** The progress by the rows in the tables, so that it agrees with the counts: the worker may be far ahead of the tables. */
function progressSoFar({ received, allRows, recordedRows, queueProgress }: ImportRow): number {
  const rows = recordedRows ?? allRows;
  return rows === null ? Math.min(readingPercent, queueProgress ?? 0) : progressOf(received, rows);
}

/** According to the contract, an import of activities shows no failed rows while it runs. */
const countsOf = ({ kind, status, received, processed, failed }: ImportRow): ImportView["counts"] => ({
  received,
  processed,
  failed: kind === "activities" && status === "processing" ? 0 : failed,
});

/** `sourceDetails` with notes on how the file was read, which the contract allows the service to add. */
export function detailsWithNotes(sourceDetails: string, notes: unknown): string {
  const remarks = noteTexts(notes);
  return remarks.length > 0 ? `${sourceDetails} (${remarks.join("; ")})` : sourceDetails;
}

const noteTexts = (notes: unknown): readonly string[] => (Array.isArray(notes) ? notes.map(String) : []);

/** Converts a view to the contract's Import. */
export function contractImport(view: ImportView, errorReportUrl: string | null) {
  const { importId, source, status, progress, counts, sourceDetails, submittedAt, startedAt, finishedAt, errorMessage } = view;
  return {
    importId,
    source,
    status,
    progress,
    counts,
    sourceDetails,
    submittedAt: submittedAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    errorMessage,
    errorReportUrl,
    reversed: view.reversed,
    sameFileAs: view.sameFileAs,
    unusual: view.unusual,
    ...(view.correctionOf === null ? {} : { correctionOf: shownCorrection(view.correctionOf) }),
  };
}

const shownCorrection = ({ importId, rows, reason }: NonNullable<ImportView["correctionOf"]>) => ({
  importId,
  rows: [...rows],
  ...(reason === undefined ? {} : { reason }),
});

export interface CorrectingImport {
  readonly importId: string;
  readonly reference: string;
  readonly rows: number;
}

const maxShown = 20;

/** The imports that correct, or are about to correct, rejected rows of this one, newest first. */
export async function correctingImports(
  organisationId: string,
  importId: string,
  database: Database,
): Promise<readonly CorrectingImport[]> {
  const { rows } = await database.query<CorrectingImport>(
    `select correction.import_id as "importId", correction.source_details as reference, corrected.rows
       from (select correction_id, count(*)::int as rows from row_corrections where import_id = $1 group by correction_id) as corrected
       join imports correction on correction.import_id = corrected.correction_id
      where correction.organisation_id = $2 order by correction.position desc limit ${maxShown}`,
    [importId, organisationId],
  );
  return rows;
}

/** The newest import of all organisations. */
export async function newestImport(pool: Pool): Promise<{ readonly importId: string } | undefined> {
  const { rows } = await pool.query<{ importId: string }>('select import_id as "importId" from imports order by position desc limit 1');
  return rows[0];
}
