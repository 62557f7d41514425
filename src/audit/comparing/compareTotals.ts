import type { PoolClient } from "pg";
import { type ActivitySums, addTotal, digestOfSums } from "../evidence/digests.js";
import { type AuditedImport, ownerOf } from "../evidence/evidence.js";
import type { Finding, Findings } from "../findings.js";
import { rowsByImport } from "./byImport.js";

/** What counts now, and what was taken out since: together the import as it completed. */
const query = `
  select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, quantity::text, row_count, row_numbers
    from activity_totals where $1::text is null or organisation_id = $1
  union all
  select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, (-quantity)::text, -row_count, row_numbers
    from activity_changes where $1::text is null or organisation_id = $1 order by import_position`;

interface Held {
  readonly organisations: Set<string>;
  readonly sums: ActivitySums;
}

const totals = {
  query,
  begin: (): Held => ({ organisations: new Set(), sums: new Map() }),
  add({ organisations, sums }: Held, [organisation, ...columns]: readonly unknown[]) {
    organisations.add(String(organisation));
    addTotal(sums, columns);
  },
};

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
  const compare = (position: string, { organisations, sums }: Held) => {
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
  for await (const { position, held } of rowsByImport(client, totals, [organisationId ?? null])) compare(position, held);
  for (const position of [...missing]) compare(position, totals.begin());
}
