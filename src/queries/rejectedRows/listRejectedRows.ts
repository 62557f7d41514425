import { limits } from "../../domain/imports/limits.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import { type RowState, rowsInState } from "./rowStates.js";

interface StoredRow {
  readonly row: number;
  /** The shipmentId of a shipment row, the reference of an activity row. */
  readonly handle: string | null;
  readonly error: string;
  readonly data: unknown;
}

export interface RejectedRow extends StoredRow {
  /** Null while the import runs, and if it failed or was cancelled, since its rows are then not corrected one by one. */
  readonly state: RowState | null;
}

/**
 * One page of an import's rejected rows, in row order: as many as are requested and fit into a page's bytes. With `state` it has only rows
 * in that state, and may be short or empty and still have a next page.
 */
export async function listRejectedRows(
  organisationId: string,
  { kind, importId, state }: { readonly kind: ImportKind; readonly importId: string; readonly state?: RowState | undefined },
  { limit, cursor, secret }: PageRequest,
  pool: Database,
): Promise<RowPage<RejectedRow>> {
  const scope = ["rejections", organisationId, importId, ...(state === undefined ? [] : [state])];
  const after = cursor === undefined ? 0 : Number(readCursor(secret, scope, cursor)[0]);
  const { rows, readUpTo } = await rowsInState(organisationId, { kind, importId }, { state, after, count: limit }, pool);
  const states = new Map(rows.map((each) => [each.row, each.state]));
  const shown = rows.length === 0 ? [] : (await pool.query<StoredRow>(rowsThatFitSql, [importId, organisationId, [...states.keys()]])).rows;
  const upTo = shown.length < rows.length ? shown.at(-1)?.row : readUpTo;
  return {
    items: shown.map((item) => ({ ...item, state: states.get(item.row) ?? null })),
    nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]),
  };
}

/** Postgres measures the rows, so that none is fetched only to be measured: rows of older versions may have 1 MiB each. */
const rowsThatFitSql = `
  select handle, error, data, "row" from (
    select chosen.*, sum(octet_length(data::text) + octet_length(error) + coalesce(octet_length(handle), 0)) over (order by "row") as bytes,
           row_number() over (order by "row") as number
      from (select handle, error, data, "row" from rejections
             where import_position = (select position from imports where import_id = $1 and organisation_id = $2)
               and "row" = any($3::integer[])) as chosen) as sized
   where bytes <= ${limits.rejectedPageBytes} or number = 1 order by "row"`;
