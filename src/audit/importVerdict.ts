import type { Pool } from "pg";
import { type EventStore, isAfter } from "../ports/eventStore.js";
import { compareImports } from "./comparing/compareImports.js";
import { compareRows, rowTables } from "./comparing/compareRows.js";
import { type AuditedImport, auditedImportOf } from "./evidence/evidence.js";
import type { ImportFold } from "./evidence/importFold.js";
import { newFindings } from "./findings.js";
import { NotComparable, withSnapshot } from "./snapshot.js";

/** Whether the tables agree with the stream. */
export type ImportVerdict =
  | { readonly verdict: "agrees" }
  | { readonly verdict: "differs"; readonly differences: readonly string[]; readonly count: number }
  /** The projection is behind the stream, or the stream has grown while it was read. */
  | { readonly verdict: "not comparable"; readonly why: string };

interface VerdictSources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly signal: AbortSignal;
}

export async function importVerdict({ eventStore, ...source }: VerdictSources, fold: ImportFold): Promise<ImportVerdict> {
  const audited = auditedImportOf(fold);
  if (!audited) return { verdict: "not comparable", why: "the stream has no ImportRequested" };
  return withSnapshot(source, async ({ client, position }): Promise<ImportVerdict> => {
    const { rows } = await client.query<{ revision: string }>(
      "select counted as revision from imports where import_id = $1 and counted >= 0",
      [audited.importId],
    );
    const seen = rows[0] ? BigInt(rows[0].revision) : undefined;
    if (seen !== undefined && seen !== fold.revision) {
      return { verdict: "not comparable", why: `the projection stands at revision ${seen}, the stream was read up to ${fold.revision}` };
    }
    if (seen === undefined && isAfter(audited.requested.position, position)) {
      return {
        verdict: "not comparable",
        why: "the projection has not come to this import yet; try again once the projector has caught up",
      };
    }
    return compare({ client, eventStore }, audited);
  }).catch((error: unknown): ImportVerdict => {
    if (error instanceof NotComparable) return { verdict: "not comparable", why: error.message };
    throw error;
  });
}

async function compare(
  sources: Pick<Parameters<typeof compareRows>[0], "client" | "eventStore">,
  audited: AuditedImport,
): Promise<ImportVerdict> {
  const findings = newFindings();
  const { importId, requested } = audited;
  const position = String(requested.position.commit);
  const imports = new Map([[position, audited]]);
  await compareImports(sources.client, imports, { importId }, findings);
  for (const table of rowTables) await compareRows({ ...sources, findings }, table, imports, [position]);
  if (findings.count === 0) return { verdict: "agrees" };
  return { verdict: "differs", differences: findings.first.map(({ sentence }) => sentence), count: findings.count };
}
