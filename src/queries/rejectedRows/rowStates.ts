import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { storedStateSql, withdrawnSql } from "../../projections/tables/rejectionGroups.js";
import { supersedingImportSql } from "../../projections/tables/supersedingImport.js";

export const rowStateNames = ["open", "submitted", "corrected", "dismissed", "superseded", "withdrawn"] as const;
export type RowState = (typeof rowStateNames)[number];

/**
 * SQL for the state of row `r` of the table `rejections`. Only this SQL defines which rows are open, for every list and count. The ledger
 * tells whether a later write has superseded a shipment. In a reversed import, a row that would be open is withdrawn. `kind` is a kind or
 * SQL for one; `owner` has SQL for the ids of the import and the organisation.
 */
export function stateSqlOf(kind: ImportKind | { readonly sql: string }, owner: Record<"importId" | "organisationId", string>): string {
  const isShipment = typeof kind === "string" ? String(kind === "shipments") : `${kind.sql} = 'shipments'`;
  return `coalesce(${storedStateSql(owner.importId, 'r."row"')},
    case when ${isShipment} and ${supersedingImportSql(owner.organisationId)} is not null then 'superseded' end,
    ${withdrawnSql(owner.importId)}, 'open')`;
}

export interface RowsPage {
  /** `state` is null unless the import has completed, since only then are there rows to correct. */
  readonly rows: readonly { readonly row: number; readonly state: RowState | null }[];
  /** The row after which the next page begins; undefined on the last page. */
  readonly readUpTo: number | undefined;
}

/** How many rows are read for one page of a state, so that no page reads all rows of an import that has none left in that state. */
const maxLookedAt = 1_000;

/** An import's rejected rows after row `after`, in one state or in any if `state` is undefined. */
export async function rowsInState(
  organisationId: string,
  { kind, importId }: { readonly kind: ImportKind; readonly importId: string },
  { state, after, count }: { readonly state: RowState | undefined; readonly after: number; readonly count: number },
  pool: Database,
): Promise<RowsPage> {
  const limit = state === undefined ? count + 1 : maxLookedAt;
  // The position is looked up, not joined: with many rows the planner would read and sort all rejected rows for each page.
  const found = await pool.query<RowsPage["rows"][number]>(
    `select r."row", case when (select status from imports where import_id = $1) = 'completed'
                          then ${stateSqlOf(kind, { importId: "$1", organisationId: "$2" })} end as state
       from rejections r
      where r.import_position = (select position from imports where import_id = $1 and organisation_id = $2 and kind = $3 and (status = 'completed' or $4))
        and r."row" > $5 order by r."row" limit $6`,
    [importId, organisationId, kind, state === undefined, after, limit],
  );
  const rows = found.rows.filter((row) => state === undefined || row.state === state);
  if (rows.length > count) return { rows: rows.slice(0, count), readUpTo: rows[count - 1]?.row };
  return { rows, readUpTo: found.rows.length === limit ? found.rows.at(-1)?.row : undefined };
}
