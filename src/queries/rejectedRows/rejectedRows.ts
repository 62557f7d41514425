import { limits } from "../../domain/imports/limits.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";
import { type Page, type PageRequest, readCursor, readPage, writeCursor } from "../page.js";
import { type RowState, rowStates, rowsInState } from "./rowStates.js";

interface ImportName {
  readonly kind: ImportKind;
  readonly importId: string;
}

interface RejectedRow {
  /** The shipmentId of a shipment row, the reference of an activity row. */
  readonly handle: string | null;
  readonly error: string;
  readonly data: unknown;
  readonly row: number;
}

export type RowWithState = RejectedRow & {
  /** Null while the import runs, and where it failed or was cancelled: its rows are then not corrected one by one. */
  readonly state: RowState | null;
};

/**
 * In row order; as many as are requested and fit into a page's bytes. With `state`, only the rows in that state: a page may then be short, or
 * empty, and still have another one after it.
 */
export async function listRejectedRows(
  organisationId: string,
  { state, ...name }: ImportName & { readonly state?: RowState | undefined },
  page: PageRequest,
  pool: Database,
): Promise<Page<RowWithState>> {
  if (state !== undefined) return listRowsInState(organisationId, { ...name, state }, page, pool);
  const found = await readPage(
    page,
    ["rejections", organisationId, name.importId],
    (after, count) => rowsThatFit(organisationId, name, { after: Number(after?.[0] ?? 0), count }, pool),
    { placeOf: ({ row }) => [String(row)], itemOf: ({ isLast: _, ...item }) => item, goesOn: ({ isLast }) => !isLast },
  );
  const numbers = found.items.map(({ row }) => row);
  const states = await rowStates(organisationId, name, numbers, pool);
  return { ...found, items: found.items.map((item) => ({ ...item, state: states.get(item.row) ?? null })) };
}

async function listRowsInState(
  organisationId: string,
  name: ImportName & { readonly state: RowState },
  { limit, cursor, secret }: PageRequest,
  pool: Database,
): Promise<Page<RowWithState>> {
  const { state } = name;
  const scope = ["rejections", organisationId, name.importId, state];
  const after = cursor === undefined ? 0 : Number(readCursor(secret, scope, cursor)[0]);
  const { rows, lookedUpTo } = await rowsInState(organisationId, name, { state, after, count: limit }, pool);
  const shown = rows.length === 0 ? [] : await rowsThatFit(organisationId, name, rows, pool);
  const upTo = shown.length < rows.length ? shown.at(-1)?.row : lookedUpTo;
  return {
    items: shown.map(({ isLast: _, ...item }) => ({ ...item, state })),
    nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]),
  };
}

/** The rows after one, or those with these numbers, as many as fit into a page's bytes. */
async function rowsThatFit(
  organisationId: string,
  { kind, importId }: ImportName,
  wanted: { readonly after: number; readonly count: number } | readonly number[],
  pool: Database,
): Promise<(RejectedRow & { readonly isLast: boolean })[]> {
  const byNumber = "after" in wanted ? undefined : wanted;
  const values = "after" in wanted ? [wanted.after, wanted.count] : [wanted];
  const { rows } = await pool.query<RejectedRow & { isLast: boolean }>(
    // Rows that are named by number are few. With an order Postgres would read all rows before them.
    sizedSql(byNumber ? '"row" = any($4::integer[])' : '"row" > $4 order by "row" limit $5'),
    [importId, organisationId, kind, ...values],
  );
  return rows;
}

/**
 * Postgres measures the rows: those of older versions may have 1 MiB each, and are not fetched only to be measured. The position is looked up
 * and not joined: with many rows the planner would read and sort all rejected rows for each page.
 */
const sizedSql = (wanted: string) => `
  select handle, error, data, "row", "isLast" from (
    select chosen.*, sum(octet_length(data::text) + octet_length(error) + coalesce(octet_length(handle), 0)) over (order by "row") as bytes,
           row_number() over (order by "row") as place, lead("row") over (order by "row") is null as "isLast"
      from (select handle, error, data, "row" from rejections
             where import_position = (select position from imports where import_id = $1 and organisation_id = $2 and kind = $3)
               and ${wanted}) as chosen) as sized
   where bytes <= ${limits.rejectedPageBytes} or place = 1 order by "row"`;
