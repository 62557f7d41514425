import type { PoolClient } from "pg";
import { type DigestOfVersions, digestOfVersions, type VersionRow } from "../evidence/digests.js";
import type { AuditedImport } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";

/** Returns how many versions the tables have. */
export async function compareVersions(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<number> {
  const waiting = new Map([...imports].filter(([, audited]) => isListed(audited)));
  let total = 0;
  const compare = (position: string, organisations: ReadonlySet<string>, rows: readonly VersionRow[]) => {
    const audited = waiting.get(position);
    waiting.delete(position);
    total += rows.length;
    const held = digestOfVersions(rows);
    const expected = audited?.versions ?? nothing;
    const whose = audited ?? imports.get(position);
    const own = whose?.requested.data.organisationId;
    const finding = { organisationId: own, importId: whose?.importId };
    if ([...organisations].some((id) => id !== own))
      findings.add({ ...finding, sentence: "shipment_versions has them for another organisation" });
    if (held.digest !== expected.digest) findings.add({ ...finding, sentence: difference(held, expected) });
  };
  for await (const { position, organisations, rows } of byImport(client, organisationId)) compare(position, organisations, rows);
  for (const [position, audited] of [...waiting]) compare(position, new Set([audited.requested.data.organisationId]), []);
  await compareCompleted(client, imports, organisationId, findings);
  return total;
}

const nothing = digestOfVersions([]);

/** The versions of a running import are in shipment_versions already; shipment_imports says which imports count. */
const isListed = ({ requested, ended }: AuditedImport) =>
  requested.data.kind === "shipments" && (ended === undefined || ended.type === "ImportCompleted");

const difference = (held: DigestOfVersions, expected: DigestOfVersions): string =>
  held.versions === expected.versions
    ? `shipment_versions has other versions than the stream, though ${held.versions} of them`
    : `shipment_versions has ${held.versions} versions; the stream has ${expected.versions}`;

const query = `select import_position, organisation_id, shipment, shipment_id, array_to_string(revisions, ',') from shipment_versions
                where $1::text is null or organisation_id = $1 order by import_position`;

async function* byImport(client: PoolClient, organisationId: string | undefined) {
  let current: { readonly position: string; readonly organisations: Set<string>; readonly rows: VersionRow[] } | undefined;
  for await (const [position, organisation, number, shipmentId, revisions] of readRows(client, query, [organisationId ?? null])) {
    if (current?.position !== String(position)) {
      if (current) yield current;
      current = { position: String(position), organisations: new Set(), rows: [] };
    }
    current.organisations.add(String(organisation));
    current.rows.push({ number: Number(number), shipmentId: String(shipmentId), revisions: String(revisions) });
  }
  if (current) yield current;
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
    const finding = { organisationId: audited?.requested.data.organisationId, importId: audited?.importId };
    if (!audited?.ended) findings.add({ ...finding, sentence: `shipment_imports has position ${position}, where no import has completed` });
    else if (shown(columns) !== shown(rowOf(audited))) findings.add({ ...finding, sentence: "shipment_imports has another end of it" });
  }
  for (const { importId, requested } of missing.values())
    findings.add({ organisationId: requested.data.organisationId, importId, sentence: "shipment_imports lacks it" });
}

const rowOf = ({ importId, requested, ended }: AuditedImport) => [
  importId,
  requested.data.organisationId,
  ended?.position.commit,
  ended?.recordedAt,
];

const shown = (columns: readonly unknown[]): string =>
  columns.map((value) => (value instanceof Date ? value.toISOString() : String(value))).join(" ");
