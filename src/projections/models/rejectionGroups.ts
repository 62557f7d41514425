// Counts of rejected rows by import, reason and state, first made when an import completes. When a later batch changes the states of rows,
// only the import's rows that are no longer open are counted again, so the time does not depend on how many rows are open.
import type { PoolClient } from "pg";
import type { SortedBatch } from "../sortedBatch.js";
import { closedRowsSql, joinedReasonSql, reasonSql } from "../tables/rejectionGroups.js";

/** Counts all rows of the completing imports as open, and returns the imports' ids. Only completed imports have rows to correct. */
export async function countCompleted(client: PoolClient, { endedSlices }: SortedBatch): Promise<string[]> {
  const countedIds: string[] = [];
  for (const { facts, ending } of endedSlices) {
    if (!facts || ending?.type !== "ImportCompleted" || ending.data.counts.failed === 0) continue;
    const { importId, position, organisationId, kind } = facts;
    await client.query(
      `insert into rejection_groups (import_id, reason_key, organisation_id, kind, import_position, reason, rows, open, submitted, dismissed, corrected)
       select $1, md5(reason), $3, $4, $2, reason, sum(rows), sum(rows), 0, 0, 0
         from (select ${joinedReasonSql} as reason, count(*) as rows
                 from rejections r left join rejections lead on lead.import_position = $2 and lead."row" = r.lead
                where r.import_position = $2 group by lead.error, r.error) as by_error
        group by reason
       on conflict do nothing`,
      [importId, position, organisationId, kind],
    );
    countedIds.push(importId);
  }
  return countedIds;
}

/** Counts the rows of these imports by their states. */
export async function countStates(client: PoolClient, importIds: readonly string[]): Promise<void> {
  if (importIds.length === 0) return;
  await client.query(
    `update rejection_groups g
        set open = case when exists (select from withdrawn_imports w where w.import_id = g.import_id) then 0 else g.rows - coalesce(closed.rows, 0) end,
            submitted = coalesce(closed.submitted, 0), dismissed = coalesce(closed.dismissed, 0), corrected = coalesce(closed.corrected, 0)
       from rejection_groups own left join (
         select i.position, md5(${reasonSql("r")}) as reason_key, count(*)::integer as rows, ${["submitted", "dismissed", "corrected"].map(countInStateSql)}
           from imports i cross join lateral (${closedRowsSql("i.import_id")}) as t
           join rejections r on r.import_position = i.position and r."row" = t."row"
          where i.import_id = any($1::uuid[]) group by 1, 2) as closed on closed.position = own.import_position and closed.reason_key = own.reason_key
      where own.import_id = any($1::uuid[]) and g.import_id = own.import_id and g.reason_key = own.reason_key`,
    [importIds],
  );
}

const countInStateSql = (state: string) => `(count(*) filter (where t.state = '${state}'))::integer as ${state}`;
