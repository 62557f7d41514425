import type { Pool } from "pg";

export interface RejectionReasons {
  /** Most frequent first. A row with several faults counts under each of them. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
  /** Reasons beyond those, together. */
  readonly others: number;
  /** The rejected rows that were counted: not more than the first ten thousand. */
  readonly counted: number;
}

const mostCounted = 10_000;
const mostReasons = 8;

/** Why the rows of an import were rejected. The lines that were rejected with their shipment are one reason. */
export async function rejectionReasons(database: Pick<Pool, "query">, organisationId: string, importId: string): Promise<RejectionReasons> {
  const { rows } = await database.query<{ reason: string; rows: number; counted: number }>(
    `with counted as materialized
       (select error from rejections
         where import_position = (select position from imports where import_id = $1 and organisation_id = $2) order by "row" limit ${mostCounted}),
     faults as
       (select case when error like 'Rejected with its shipment: %' then array['Rejected with its shipment'] else string_to_array(error, '; ') end as found
          from counted)
     select fault as reason, count(*)::int as rows, (select count(*)::int from counted) as counted
       from faults, unnest(found) as fault group by fault order by 2 desc, 1`,
    [importId, organisationId],
  );
  const reasons = rows.slice(0, mostReasons).map(({ reason, rows: count }) => ({ reason, rows: count }));
  return { reasons, others: rows.length - reasons.length, counted: rows[0]?.counted ?? 0 };
}
