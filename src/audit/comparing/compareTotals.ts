import type { PoolClient } from "pg";
import type { CountedEvidence } from "../evidence/countedEvidence.js";
import { type ActivitySums, addTotal, digestOfSums } from "../evidence/digests.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Finding, Findings } from "../findings.js";
import { readSnapshotRows } from "../snapshot.js";

/** What counts now, and what was taken out since: together the import as it completed. */
const query = `
  select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, quantity::text, row_count, row_numbers
    from activity_totals where $1::text is null or organisation_id = $1
  union all
  select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, (-quantity)::text, -row_count, row_numbers
    from activity_changes where $1::text is null or organisation_id = $1 order by import_position`;

/** What the tables have of one import. */
interface ImportTotals {
  readonly position: string;
  readonly organisations: Set<string>;
  readonly sums: ActivitySums;
}

const noTotals = (position: string): ImportTotals => ({ position, organisations: new Set(), sums: new Map() });

const hasTotals = ({ requested, ended }: AuditedImport) => requested.data.kind === "activities" && ended?.type === "ImportCompleted";

/** Compares the totals of each import with those of its stream, by one digest. */
export async function compareTotals(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> {
  const nothing = digestOfSums(new Map());
  const missing = new Set([...imports].flatMap(([position, audited]) => (hasTotals(audited) ? [position] : [])));
  const compare = ({ position, organisations, sums }: ImportTotals) => {
    missing.delete(position);
    const audited = imports.get(position);
    const found = digestOfSums(sums);
    const wanted = audited && hasTotals(audited) ? audited.totals : nothing;
    const owner: Pick<Finding, "organisationId" | "importId"> = audited ? ownerOf(audited) : {};
    for (const id of organisations)
      if (id !== owner.organisationId) findings.add({ ...owner, sentence: "activity_totals has them for another organisation" });
    if (found.digest === wanted.digest) return;
    const difference = found.said === wanted.said ? ", which are not those of the stream" : `; the stream has ${wanted.said}`;
    findings.add({ ...owner, sentence: `activity_totals has ${found.said}${difference}` });
  };
  let current: ImportTotals | undefined;
  for await (const [place, organisation, ...columns] of readSnapshotRows(client, query, [organisationId ?? null])) {
    const position = String(place);
    if (current && current.position !== position) compare(current);
    if (current?.position !== position) current = noTotals(position);
    current.organisations.add(String(organisation));
    addTotal(current.sums, columns);
  }
  if (current) compare(current);
  for (const position of [...missing]) compare(noTotals(position));
}

const columns = {
  uncounted_activities: `import_position, "row", reversed_position, replaced_by_position, replaced_by_row`,
  uncounted_imports: "import_position, reversed_position",
  activity_corrections: `import_position, "row", first_position, first_row`,
} as const satisfies Record<keyof CountedEvidence, string>;

/** Compares which activities count, and whether the totals and their changes have exactly these. */
export async function compareCounted(
  client: PoolClient,
  evidence: CountedEvidence,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> {
  for (const table of ["uncounted_activities", "uncounted_imports", "activity_corrections"] as const) {
    const missing = new Set(evidence[table]);
    const query = `select ${columns[table]} from ${table}
                    where $1::text is null or import_position in (select position from imports where organisation_id = $1)`;
    for await (const values of readSnapshotRows(client, query, [organisationId ?? null])) {
      const shown = values.map((value) => value ?? null).join(" ");
      if (!missing.delete(shown)) findings.add({ organisationId, sentence: `${table} has ${shown}, which no stream says` });
    }
    for (const row of missing) findings.add({ organisationId, sentence: `${table} lacks ${row}` });
  }
  for (const [query, words] of checks) {
    const { rows } = await client.query<{ importId: string; row: number | null }>(query, [organisationId ?? null]);
    for (const { importId, row } of rows)
      findings.add({ organisationId, importId, sentence: row === null ? words : `row ${row} ${words}` });
  }
}

const ofOrganisation = "($1::text is null or i.organisation_id = $1)";

const checks: readonly (readonly [query: string, words: string])[] = [
  [
    `select i.import_id as "importId", n.number as "row" from activity_totals t join imports i on i.position = t.import_position
      cross join unnest(t.row_numbers) as n (number)
      where ${ofOrganisation} and t.import_position in (select import_position from uncounted_activities)
        and exists (select from uncounted_activities u where u.import_position = t.import_position and u."row" = n.number) limit 20`,
    "is in a total, though it is reversed or replaced",
  ],
  [
    `select distinct i.import_id as "importId", null::int as "row" from uncounted_imports u join imports i on i.position = u.import_position
       join activity_totals t on t.import_position = u.import_position where ${ofOrganisation} limit 20`,
    "activity_totals has totals of it, though it is reversed as a whole",
  ],
  [
    `select i.import_id as "importId", changed.number as "row"
       from (select c.import_position, n.number from activity_changes c cross join unnest(c.row_numbers) as n (number)
              where not exists (select from uncounted_imports u where u.import_position = c.import_position)
              group by 1, 2 having sum(sign(c.row_count)) <> 0) as changed
       join imports i on i.position = changed.import_position
      where ${ofOrganisation}
        and not exists (select from uncounted_activities u where u.import_position = changed.import_position and u."row" = changed.number) limit 20`,
    "is in no total, though it is neither reversed nor replaced",
  ],
];
