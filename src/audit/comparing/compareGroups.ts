import type { PoolClient } from "pg";
import { reasonInErrorSql } from "../../domain/rows/olderReasons.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";
import type { Scope } from "./compareCorrections.js";

/** Counts the rejected rows again by reason and state. The rows and states themselves are compared with the streams elsewhere. */
export async function compareGroups(client: PoolClient, { organisationId, importId }: Scope, findings: Findings): Promise<void> {
  const query = `
    with states as (
      select i.import_id, coalesce(l.error, ${reasonInErrorSql("r.error")}) as reason,
             case when exists (select from row_corrections c where c.import_id = i.import_id and c."row" = r."row" and c.state = 'corrected') then 'corrected'
                  when exists (select from row_corrections c where c.import_id = i.import_id and c."row" = r."row") then 'submitted'
                  else coalesce((select d.state from finished_rows d where d.import_id = i.import_id and d."row" = r."row"),
                                (select 'withdrawn' from withdrawn_imports w where w.import_id = i.import_id), 'open') end as state
        from imports i join rejections r on r.import_position = i.position
        left join rejections l on l.import_position = i.position and l."row" = r.lead
       where i.status = 'completed' and ($1::text is null or i.organisation_id = $1) and ($2::uuid is null or i.import_id = $2)),
    counted as (
      select import_id, reason, count(*)::integer as rows, (count(*) filter (where state = 'open'))::integer as open,
             (count(*) filter (where state = 'submitted'))::integer as submitted, (count(*) filter (where state = 'dismissed'))::integer as dismissed,
             (count(*) filter (where state = 'corrected'))::integer as corrected
        from states group by 1, 2),
    kept as (
      select import_id, reason, rows, open, submitted, dismissed, corrected from rejection_groups
       where ($1::text is null or organisation_id = $1) and ($2::uuid is null or import_id = $2))
    select coalesce(kept.import_id, counted.import_id), coalesce(kept.reason, counted.reason), row_to_json(kept)::text, row_to_json(counted)::text
      from kept full join counted on kept.import_id = counted.import_id and kept.reason = counted.reason
     where kept is distinct from counted`;
  for await (const [id, reason, kept, counted] of readRows(client, query, [organisationId ?? null, importId ?? null])) {
    const sentence = `the counts of rejected rows for "${reason}" are ${kept ?? "missing"}, the rows say ${counted ?? "none"}`;
    findings.add({ organisationId, importId: String(id), sentence });
  }
}
