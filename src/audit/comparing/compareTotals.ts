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

export const compareTotals = (
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> => compareDigests(client, activityTotals, imports, organisationId, findings);
