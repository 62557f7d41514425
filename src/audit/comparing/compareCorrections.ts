import type { PoolClient } from "pg";
import type { CorrectionEvidence, CorrectionRow } from "../evidence/correctionEvidence.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";

const tables = {
  row_corrections: { columns: 'import_id, "row", correction_id, correction_row, state, reversed', keys: 3 },
  finished_rows: { columns: 'import_id, "row", state, other_id, note, finished_by', keys: 2 },
  withdrawn_imports: { columns: "import_id", keys: 1 },
} as const;

export interface Scope {
  readonly organisationId?: string | undefined;
  readonly importId?: string | undefined;
}

/** Within a scope, only the rows of its imports are compared. Returns how many rows the tables hold. */
export async function compareCorrections(
  client: PoolClient,
  evidence: CorrectionEvidence,
  { organisationId, importId }: Scope,
  findings: Findings,
): Promise<number> {
  const expected = evidence.rows();
  let total = 0;
  for (const table of ["row_corrections", "finished_rows", "withdrawn_imports"] as const) {
    const missing = new Map([...expected[table]].filter(([, row]) => importId === undefined || row.importId === importId));
    const { columns, keys } = tables[table];
    const query = `select ${columns} from ${table}
                    where ($1::text is null or import_id in (select import_id from imports where organisation_id = $1))
                      and ($2::uuid is null or import_id = $2)`;
    for await (const values of readRows(client, query, [organisationId ?? null, importId ?? null])) {
      total += 1;
      const key = values.slice(0, keys).join(" ");
      const wanted = missing.get(key);
      missing.delete(key);
      if (wanted && JSON.stringify(wanted.columns) === JSON.stringify(values)) continue;
      const says = wanted ? `, the streams say ${JSON.stringify(wanted.columns.slice(2))}` : ", which no stream says";
      const sentence = `${nameOf(values)} of ${table} is ${JSON.stringify(values.slice(2))}${says}`;
      findings.add({ organisationId: wanted?.organisationId, importId: String(values[0]), sentence });
    }
    for (const wanted of missing.values()) findings.add(lost(table, wanted));
  }
  return total;
}

const lost = (table: string, { organisationId, importId, columns }: CorrectionRow) => ({
  organisationId,
  importId,
  sentence: `${nameOf(columns)} is missing from ${table}: ${JSON.stringify(columns.slice(2))}`,
});

const nameOf = ([, row]: readonly unknown[]): string => (row === undefined ? "the import" : `row ${row}`);
