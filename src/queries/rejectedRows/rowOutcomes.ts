import type { Pool } from "pg";
import { principalOf } from "../../domain/principal.js";
import { supersedingImportSql } from "../../projections/tables/supersedingImport.js";
import { principalNames } from "../organisations/organisations.js";
import { type RowState, stateSqlOf } from "./rowStates.js";

export interface RowKey {
  readonly importId: string;
  readonly row: number;
}

/** The state of a rejected row, and who brought it about. */
export interface RejectedRowOutcome extends RowKey {
  readonly state: RowState;
  /** The import that corrects the row, or that has superseded it. */
  readonly otherId: string | null;
  /** That import's reference, by which people know it. */
  readonly otherName: string | null;
  /** The name of whoever sent that import, dismissed the row, or reversed the import that the row is in. */
  readonly by: string | null;
  readonly note: string | null;
}

/** Looks up rows of completed imports. Rows of other organisations are left out. */
export async function rejectedRowOutcomes(organisationId: string, rows: readonly RowKey[], pool: Pool): Promise<RejectedRowOutcome[]> {
  if (rows.length === 0) return [];
  const found = await pool.query<Omit<RejectedRowOutcome, "by"> & { actor: string | null }>(
    `select wanted."importId", wanted."row", ${stateSqlOf({ sql: "i.kind" }, { importId: "i.import_id", organisationId: "$1" })} as state,
            coalesce(c.other_id, d.other_id, s.import_id) as "otherId", other.source_details as "otherName",
            coalesce(c.actor, d.finished_by, s.actor, v.reversed_by) as actor, d.note
       from unnest($2::uuid[], $3::integer[]) as wanted ("importId", "row")
       join imports i on i.import_id = wanted."importId" and i.organisation_id = $1 and i.status = 'completed'
       join rejections r on r.import_position = i.position and r."row" = wanted."row"
       left join lateral (
         select correction_id as other_id, o.requested_by as actor
           from row_corrections left join imports o on o.import_id = correction_id
          where row_corrections.import_id = i.import_id and row_corrections."row" = r."row"
          order by array_position(array['corrected', 'claimed', 'submitted'], state), o.position limit 1) as c on true
       left join finished_rows d on d.import_id = i.import_id and d."row" = r."row"
       left join lateral (
         select superseding.import_id, o.requested_by as actor
           from (select ${supersedingImportSql("$1")} as import_id where i.kind = 'shipments') as superseding
           left join imports o on o.import_id = superseding.import_id) as s on true
       left join lateral (select reversed_by from reversals where import_id = i.import_id and is_all limit 1) as v on true
       left join imports other on other.import_id = coalesce(c.other_id, d.other_id, s.import_id) and other.organisation_id = $1`,
    [organisationId, rows.map(({ importId }) => importId), rows.map(({ row }) => row)],
  );
  const withActor = found.rows.filter(({ actor }) => actor !== null);
  const nameOf = withActor.length === 0 ? undefined : await principalNames(organisationId, pool);
  return found.rows.map(({ actor, ...row }) => ({ ...row, by: actor === null ? null : (nameOf?.(principalOf(actor)) ?? null) }));
}
