import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { keptStateSql, withdrawnSql } from "../../projections/tables/rejectionGroups.js";
import { supersedingImportSql } from "../../projections/tables/supersedingImport.js";

export const rowStateNames = ["open", "submitted", "corrected", "dismissed", "superseded", "withdrawn"] as const;
export type RowState = (typeof rowStateNames)[number];

interface ImportName {
  readonly kind: ImportKind;
  readonly importId: string;
}

/** SQL for what a row belongs to. */
interface RowOwner {
  readonly importId: string;
  readonly organisationId: string;
}

/**
 * SQL for the state of row `r` of the table `rejections`. This alone decides which rows are open, for every list and count. The ledger says
 * whether a later write has superseded its shipment. In an import that is reversed, a row that would be open is withdrawn. `kind` is a kind, or
 * SQL for one.
 */
export function stateSqlOf(kind: ImportKind | { readonly sql: string }, { importId, organisationId }: RowOwner): string {
  const isShipment = typeof kind === "string" ? String(kind === "shipments") : `${kind.sql} = 'shipments'`;
  return `coalesce(${keptStateSql(importId, 'r."row"')},
    case when ${isShipment} and ${supersedingImportSql(organisationId)} is not null then 'superseded' end,
    ${withdrawnSql(importId)}, 'open')`;
}

const ownerInParameters: RowOwner = { importId: "$1", organisationId: "$2" };

/** Only a completed import has rows to correct. Rows of other imports have no state. */
const positionSql = "(select position from imports where import_id = $1 and organisation_id = $2 and status = 'completed')";

export async function rowStates(
  organisationId: string,
  { kind, importId }: ImportName,
  rows: readonly number[],
  pool: Database,
): Promise<Map<number, RowState>> {
  if (rows.length === 0) return new Map();
  const found = await pool.query<{ row: number; state: RowState }>(
    `select r."row", ${stateSqlOf(kind, ownerInParameters)} as state from rejections r where r.import_position = ${positionSql} and r."row" = any($3::integer[])`,
    [importId, organisationId, rows],
  );
  return new Map(found.rows.map(({ row, state }) => [row, state]));
}

export interface RowsPage {
  readonly rows: readonly number[];
  /** The last row that was looked at, where there may be more after it. */
  readonly lookedUpTo: number | undefined;
}

/** How many rows are read for one page, whatever their states: an import whose rows are all corrected is not read to its end at once. */
const mostLookedAt = 1_000;

export async function rowsInState(
  organisationId: string,
  { kind, importId }: ImportName,
  { state, after, count }: { readonly state: RowState; readonly after: number; readonly count: number },
  pool: Database,
): Promise<RowsPage> {
  const found = await pool.query<{ row: number; state: RowState }>(
    `select r."row", ${stateSqlOf(kind, ownerInParameters)} as state from rejections r
      where r.import_position = ${positionSql} and r."row" > $3 order by r."row" limit ${mostLookedAt}`,
    [importId, organisationId, after],
  );
  const rows = found.rows.filter((row) => row.state === state).map(({ row }) => row);
  if (rows.length > count) return { rows: rows.slice(0, count), lookedUpTo: rows[count - 1] };
  return { rows, lookedUpTo: found.rows.length === mostLookedAt ? found.rows.at(-1)?.row : undefined };
}
