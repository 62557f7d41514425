import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { keptStateSql, withdrawnSql } from "../../projections/tables/rejectionGroups.js";
import { supersedingImportSql } from "../../projections/tables/supersedingImport.js";

export const rowStateNames = ["open", "submitted", "corrected", "dismissed", "superseded", "withdrawn"] as const;
export type RowState = (typeof rowStateNames)[number];

/**
 * SQL for the state of row `r` of the table `rejections`. This alone decides which rows are open, for every list and count. The ledger says
 * whether a later write has superseded its shipment. In an import that is reversed, a row that would be open is withdrawn. `kind` is a kind, or
 * SQL for one; `owner` is SQL for what the row belongs to.
 */
export function stateSqlOf(kind: ImportKind | { readonly sql: string }, owner: Record<"importId" | "organisationId", string>): string {
  const isShipment = typeof kind === "string" ? String(kind === "shipments") : `${kind.sql} = 'shipments'`;
  return `coalesce(${keptStateSql(owner.importId, 'r."row"')},
    case when ${isShipment} and ${supersedingImportSql(owner.organisationId)} is not null then 'superseded' end,
    ${withdrawnSql(owner.importId)}, 'open')`;
}

export interface RowsPage {
  /** A row has no state unless its import has completed: only then are there rows to correct. */
  readonly rows: readonly { readonly row: number; readonly state: RowState | null }[];
  /** The row after which the next page begins; undefined on the last page. */
  readonly readUpTo: number | undefined;
}

/** How many rows are read for one page of a state: an import whose rows are all corrected is not read to its end at once. */
const mostLookedAt = 1_000;

/** An import's rejected rows after row `after`, in one state or any. */
export async function rowsInState(
  organisationId: string,
  { kind, importId }: { readonly kind: ImportKind; readonly importId: string },
  { state, after, count }: { readonly state: RowState | undefined; readonly after: number; readonly count: number },
  pool: Database,
): Promise<RowsPage> {
  const lookAt = state === undefined ? count + 1 : mostLookedAt;
  // The position is looked up and not joined: with many rows the planner would read and sort all rejected rows for each page.
  const found = await pool.query<RowsPage["rows"][number]>(
    `select r."row", case when (select status from imports where import_id = $1) = 'completed'
                          then ${stateSqlOf(kind, { importId: "$1", organisationId: "$2" })} end as state
       from rejections r
      where r.import_position = (select position from imports where import_id = $1 and organisation_id = $2 and kind = $3 and (status = 'completed' or $4))
        and r."row" > $5 order by r."row" limit $6`,
    [importId, organisationId, kind, state === undefined, after, lookAt],
  );
  const rows = found.rows.filter((row) => state === undefined || row.state === state);
  if (rows.length > count) return { rows: rows.slice(0, count), readUpTo: rows[count - 1]?.row };
  return { rows, readUpTo: found.rows.length === lookAt ? found.rows.at(-1)?.row : undefined };
}
