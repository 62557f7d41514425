import type { PoolClient } from "pg";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { readSnapshotRows } from "../snapshot.js";

/** What follows from the rows that were accepted. A rebuild compares the other columns. */
const columns = ["import_id", "position", "organisation_id", "kind", "status", "received", "processed", "failed", "revision"];

interface Scope {
  readonly organisationId?: string | undefined;
  readonly importId?: string | undefined;
}

type ImportColumns = Readonly<Record<string, unknown>>;

/** The row that the imports table should have. */
function expectedRow({ importId, requested: { data, position }, started, ended, counts, revision }: AuditedImport): ImportColumns {
  const running = !ended && data.kind === "activities";
  return {
    import_id: importId,
    position: position.commit,
    organisation_id: data.organisationId,
    kind: data.kind,
    status: ended ? endings[ended.type] : started ? "processing" : "queued",
    received: counts.received,
    processed: ended?.type === "ImportCompleted" || running ? counts.processed : 0,
    failed: counts.failed,
    revision,
  };
}

/** The status of an import by its last event. */
export const endings = { ImportCompleted: "completed", ImportFailed: "failed", ImportCancelled: "cancelled" } as const;

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
    const [found, wanted] = [String(row[column]), String(expected[column])]; // numbers too large for JavaScript come from Postgres as text
    if (found !== wanted) findings.add({ ...ownerOf(audited), sentence: `imports.${column} is ${found}, the stream says ${wanted}` });
  }
}
