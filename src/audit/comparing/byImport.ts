// Reads tables that have rows of imports import by import, and compares what they hold with what the streams say by one digest per import.
import type { PoolClient } from "pg";
import type { TableDigest } from "../evidence/digests.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Finding, Findings } from "../findings.js";
import { readSnapshotRows } from "../snapshot.js";

interface ImportRowsQuery<Held> {
  /** Its first column is the import's position, by which it is sorted. */
  readonly query: string;
  begin(): Held;
  add(held: Held, columns: readonly unknown[]): void;
}

export async function* rowsByImport<Held>(
  client: PoolClient,
  { query, begin, add }: ImportRowsQuery<Held>,
  values: readonly unknown[],
): AsyncGenerator<{ readonly position: string; readonly held: Held }> {
  let current: { readonly position: string; readonly held: Held } | undefined;
  for await (const [position, ...columns] of readSnapshotRows(client, query, values)) {
    if (current?.position !== String(position)) {
      if (current) yield current;
      current = { position: String(position), held: begin() };
    }
    add(current.held, columns);
  }
  if (current) yield current;
}

export interface DigestedTable<Held> {
  readonly name: string;
  /** Its second column is the organisation. `$1` is an organisation, or null for all. */
  readonly rows: ImportRowsQuery<Held>;
  digest(held: Held): TableDigest;
  /** Undefined where the table should have nothing of the import. */
  expected(audited: AuditedImport): TableDigest | undefined;
}

export async function compareDigests<Held>(
  client: PoolClient,
  { name, rows, digest, expected }: DigestedTable<Held>,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> {
  const missing = new Set([...imports].flatMap(([position, audited]) => (expected(audited) ? [position] : [])));
  const nothing = digest(rows.begin());
  const compare = (position: string, organisations: Iterable<string>, found: TableDigest) => {
    missing.delete(position);
    const audited = imports.get(position);
    const wanted = (audited && expected(audited)) ?? nothing;
    const owner: Pick<Finding, "organisationId" | "importId"> = audited ? ownerOf(audited) : {};
    for (const id of organisations)
      if (id !== owner.organisationId) findings.add({ ...owner, sentence: `${name} has them for another organisation` });
    if (found.digest === wanted.digest) return;
    const difference = found.said === wanted.said ? ", which are not those of the stream" : `; the stream has ${wanted.said}`;
    findings.add({ ...owner, sentence: `${name} has ${found.said}${difference}` });
  };
  const gathering: ImportRowsQuery<{ readonly organisations: Set<string>; readonly held: Held }> = {
    query: rows.query,
    begin: () => ({ organisations: new Set(), held: rows.begin() }),
    add({ organisations, held }, [organisation, ...columns]) {
      organisations.add(String(organisation));
      rows.add(held, columns);
    },
  };
  for await (const { position, held } of rowsByImport(client, gathering, [organisationId ?? null]))
    compare(position, held.organisations, digest(held.held));
  for (const position of [...missing]) compare(position, [], nothing);
}
