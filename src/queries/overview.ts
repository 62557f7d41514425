import type { Pool } from "pg";

export interface OpenRows {
  readonly rows: number;
  /** True where there may be more, since only `mostLookedAt` rows of shipments are looked up. */
  readonly atLeast: boolean;
}

/** Rejected rows of shipments that are looked up in the ledger for one page, whatever their states. */
const mostLookedAt = 5_000;

/**
 * Rejected rows of all the organisation's imports that wait for a correction: `open` as rowStates.ts has it. For activities the projection has
 * the counts. Rows of shipments are looked up, since a later import may have written the shipment; those of the newest imports first.
 */
export async function openRowsOf(database: Pick<Pool, "query">, organisationId: string): Promise<OpenRows> {
  const { rows } = await database.query<{ activities: number; shipments: number; lookedAt: number }>(
    `with of_import as materialized
       (select import_id, kind, import_position as position, sum(open) as open from rejection_groups
         where organisation_id = $1 and open > 0 group by 1, 2, 3)
     select (select coalesce(sum(open), 0)::float8 from of_import where kind = 'activities') as activities, count(*)::int as "lookedAt",
            count(*) filter (where
              not exists (select from row_corrections c where c.import_id = r.import_id and c."row" = r."row")
              and not exists (select from finished_rows d where d.import_id = r.import_id and d."row" = r."row")
              and not exists (select from shipments s
                where s.organisation_id = $1 and s.shipment_id = r.handle and s.import_position > r.position))::int as shipments
       from (select i.import_id, i.position, rejected."row", rejected.handle
               from (select import_id, position from of_import where kind = 'shipments' order by position desc) i
              cross join lateral (select "row", handle from rejections where import_position = i.position limit $2) rejected
              limit $2) r`,
    [organisationId, mostLookedAt + 1],
  );
  const { activities = 0, shipments = 0, lookedAt = 0 } = rows[0] ?? {};
  const atLeast = lookedAt > mostLookedAt;
  return { rows: activities + (atLeast ? Math.min(shipments, mostLookedAt) : shipments), atLeast };
}
