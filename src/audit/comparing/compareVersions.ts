import type { PoolClient } from "pg";
import { digestOfVersions, type VersionRow } from "../evidence/digests.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";
import { compareDigests, type DigestedTable } from "./byImport.js";

const shipmentVersions: DigestedTable<VersionRow[]> = {
  name: "shipment_versions",
  rows: {
    query: `select import_position, organisation_id, shipment, shipment_id, array_to_string(revisions, ',') from shipment_versions
             where $1::text is null or organisation_id = $1 order by import_position`,
    begin: () => [],
    add(rows, [number, shipmentId, revisions]) {
      rows.push({ number: Number(number), shipmentId: String(shipmentId), revisions: String(revisions) });
    },
  },
  digest: digestOfVersions,
  expected: (audited) => (isListed(audited) ? audited.versions : undefined),
};

/** The versions of a running import are in shipment_versions already; shipment_imports says which imports count. */
const isListed = ({ requested, ended }: AuditedImport) =>
  requested.data.kind === "shipments" && (ended === undefined || ended.type === "ImportCompleted");

/** Returns how many versions the tables have. */
export async function compareVersions(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<number> {
  const total = await compareDigests(client, shipmentVersions, imports, organisationId, findings);
  await compareCompleted(client, imports, organisationId, findings);
  return total;
}

const completedQuery = `select import_position, import_id, organisation_id, completed_position, completed_at from shipment_imports
                         where $1::text is null or organisation_id = $1`;

async function compareCompleted(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> {
  const missing = new Map([...imports].filter(([, audited]) => audited.ended && isListed(audited)));
  for await (const [position, ...columns] of readRows(client, completedQuery, [organisationId ?? null])) {
    const audited = missing.get(String(position));
    missing.delete(String(position));
    if (!audited?.ended) findings.add({ sentence: `shipment_imports has position ${position}, where no import has completed` });
    else if (shown(columns) !== shown(rowOf(audited)))
      findings.add({ ...ownerOf(audited), sentence: "shipment_imports has another end of it" });
  }
  for (const audited of missing.values()) findings.add({ ...ownerOf(audited), sentence: "shipment_imports lacks it" });
}

const rowOf = ({ importId, requested, ended }: AuditedImport) => [
  importId,
  requested.data.organisationId,
  ended?.position.commit,
  ended?.recordedAt,
];

const shown = (columns: readonly unknown[]): string =>
  columns.map((value) => (value instanceof Date ? value.toISOString() : String(value))).join(" ");
