import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import { canonical, storableText } from "../canonical.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { readSnapshotRows } from "../snapshot.js";

const columns = `import_id position organisation_id kind source source_details status progress received processed failed
  file_key file_name file_size file_sha256 requested_by notes corrects same_file_as unusual report_key error_message submitted_at started_at finished_at revision`.split(
  /\s+/,
);

interface Scope {
  readonly organisationId?: string | undefined;
  readonly importId?: string | undefined;
}

type ImportColumns = Readonly<Record<string, unknown>>;

/** The row that the imports table should have. */
export function expectedRow({ importId, requested: { data, position }, started, ended, counts, revision }: AuditedImport): ImportColumns {
  const status = ended ? ending[ended.type] : started ? "processing" : "queued";
  const completed = ended?.type === "ImportCompleted" ? ended.data : undefined;
  const running = !ended && data.kind === "activities";
  return {
    import_id: importId,
    position: position.commit,
    organisation_id: data.organisationId,
    kind: data.kind,
    source: data.source,
    source_details: storableText(data.sourceDetails),
    status,
    progress: completed ? 100 : Math.max(0, Math.min(99, Math.floor(ended && "progress" in ended.data ? ended.data.progress : 0))),
    received: counts.received,
    processed: completed || running ? counts.processed : 0,
    failed: counts.failed,
    file_key: data.file.key,
    file_name: storableText(data.file.name),
    file_size: data.file.size,
    file_sha256: data.file.sha256,
    requested_by: actorOf(data.by),
    notes: completed?.notes ?? [],
    corrects: data.corrects ?? null,
    same_file_as: data.sameFileAs ?? null,
    unusual: completed?.unusual ? { count: completed.unusualRows, kinds: completed.unusual } : null,
    report_key: completed?.report?.key ?? null,
    error_message: ended?.type === "ImportFailed" ? storableText(ended.data.reason) : null,
    submitted_at: new Date(data.at),
    started_at: started ? new Date(started.data.at) : null,
    finished_at: ended ? new Date(ended.data.at) : null,
    revision,
  };
}

const ending = { ImportCompleted: "completed", ImportFailed: "failed", ImportCancelled: "cancelled" } as const;

const shown = (value: unknown): string =>
  canonical(value instanceof Date ? value.toISOString() : typeof value === "bigint" ? String(value) : value);
/** Numbers too large for JavaScript come from Postgres as text. */
const comparable = (value: unknown): string => (typeof value === "number" ? canonical(String(value)) : shown(value));

export async function compareImports(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  { organisationId, importId: only }: Scope,
  findings: Findings,
): Promise<void> {
  const missing = new Map([...imports.values()].map((audited) => [audited.importId, audited]));
  const query = `select ${columns.join(", ")}, revision <> counted as ahead from imports
                  where ($1::text is null or organisation_id = $1) and ($2::uuid is null or import_id = $2)`;
  for await (const values of readSnapshotRows(client, query, [organisationId ?? null, only ?? null])) {
    const row = Object.fromEntries(columns.map((column, index) => [column, values[index]])) as ImportColumns;
    const importId = String(row["import_id"]);
    const audited = missing.get(importId);
    missing.delete(importId);
    if (values[columns.length] === true) continue; // a command has written it before the projector came to the event
    if (audited) compareRow(audited, row, findings);
    else
      findings.add({ organisationId: String(row["organisation_id"]), importId, sentence: "imports has it, but there is no such stream" });
  }
  for (const audited of missing.values()) findings.add({ ...ownerOf(audited), sentence: "it is missing from imports" });
}

function compareRow(audited: AuditedImport, row: ImportColumns, findings: Findings): void {
  const expected = expectedRow(audited);
  for (const column of columns) {
    if (comparable(row[column]) === comparable(expected[column])) continue;
    const sentence = `imports.${column} is ${shown(row[column])}, the stream says ${shown(expected[column])}`;
    findings.add({ ...ownerOf(audited), sentence });
  }
}
