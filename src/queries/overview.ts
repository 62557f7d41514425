import type { Pool } from "pg";

export interface OpenRows {
  readonly rows: number;
  /** True where there may be more: only so many are looked at. */
  readonly atLeast: boolean;
}

/** Rows that are looked at for one page, whatever their states. */
const mostLookedAt = 5_000;

/** Rejected rows of all the organisation's imports that wait for a correction: `open` as rowStates.ts has it. The newest imports are looked at first. */
export async function openRowsOf(database: Pick<Pool, "query">, organisationId: string): Promise<OpenRows> {
  const { rows } = await database.query<{ open: number; lookedAt: number }>(
    `select count(*)::int as "lookedAt", count(*) filter (where
         not exists (select from row_corrections c where c.import_id = r.import_id and c."row" = r."row")
         and not exists (select from settled_rows d where d.import_id = r.import_id and d."row" = r."row")
         and not (r.kind = 'shipments' and exists (select from shipments s
           where s.organisation_id = $1 and s.shipment_id = r.handle and s.import_position > r.position)))::int as open
       from (select i.import_id, i.kind, i.position, rejected."row", rejected.handle
               from (select import_id, kind, position from imports
                      where organisation_id = $1 and status = 'completed' and failed > 0 order by position desc) i
              cross join lateral (select "row", handle from rejections where import_position = i.position limit $2) rejected
              limit $2) r`,
    [organisationId, mostLookedAt + 1],
  );
  const { open = 0, lookedAt = 0 } = rows[0] ?? {};
  return lookedAt > mostLookedAt ? { rows: Math.min(open, mostLookedAt), atLeast: true } : { rows: open, atLeast: false };
}
