import type { PoolClient } from "pg";
import { type ActivitySums, addTotal, digestOfSums } from "../evidence/digests.js";
import type { AuditedImport } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { compareDigests, type DigestedTable } from "./byImport.js";

const activityTotals: DigestedTable<ActivitySums> = {
  name: "activity_totals",
  rows: {
    // What counts now, and what was taken out since: together the import as it completed.
    query: `select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, quantity::text, row_count, row_numbers
              from activity_totals where $1::text is null or organisation_id = $1
            union all
            select import_position, organisation_id, customer_id, warehouse_code, charge_code, half_hour, (-quantity)::text, -row_count, row_numbers
              from activity_changes where $1::text is null or organisation_id = $1 order by import_position`,
    begin: () => new Map(),
    add: addTotal,
  },
  digest: digestOfSums,
  expected: ({ requested, ended, totals }) =>
    requested.data.kind === "activities" && ended?.type === "ImportCompleted" ? totals : undefined,
};

/** Returns how many totals the table has. */
export async function compareTotals(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<number> {
  const total = await compareDigests(client, activityTotals, imports, organisationId, findings);
  for (const sentence of await groupFaults(client, organisationId)) findings.add({ organisationId, sentence });
  return total;
}

/** activity_groups must have exactly the groups that occur in activity_totals, or have until something was taken out. */
async function groupFaults(client: PoolClient, organisationId: string | undefined): Promise<string[]> {
  const group = "organisation_id, customer_id, warehouse_code, charge_code";
  const ofTotals = `(select ${group} from activity_totals union select ${group} from activity_changes)`;
  const { rows } = await client.query<{ missing: number; added: number }>(
    `select (select count(*)::int from (${ofTotals} except select ${group} from activity_groups) as one where $1::text is null or organisation_id = $1) as missing,
            (select count(*)::int from (select ${group} from activity_groups except ${ofTotals}) as other where $1::text is null or organisation_id = $1) as added`,
    [organisationId ?? null],
  );
  const { missing = 0, added = 0 } = rows[0] ?? {};
  return [
    ...(missing > 0 ? [`activity_groups lacks ${missing} groups of activity_totals`] : []),
    ...(added > 0 ? [`activity_groups has ${added} groups that activity_totals lacks`] : []),
  ];
}
