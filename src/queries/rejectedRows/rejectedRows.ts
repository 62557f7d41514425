import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { limits } from "../../domain/imports/limits.js";
import type { ImportKind } from "../../events/importEvents.js";
import type { EventStore } from "../../ports/eventStore.js";
import { imports, rejections } from "../../projections/tables/imports.js";
import { databaseOf } from "../database.js";
import type { UnprojectedRows } from "../imports/importStatus.js";
import { type Page, type PageRequest, readCursor, readPage, writeCursor } from "../page.js";
import type { RejectedRow } from "./rejectedRow.js";
import { type RowState, rowStates, rowsInState } from "./rowStates.js";
import { unprojectedRejections } from "./unprojectedRejections.js";

interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface ImportName {
  readonly kind: ImportKind;
  readonly importId: string;
  /** Set when the import's ending is shown before it is projected: its last rejected rows then come from the stream. */
  readonly unprojected?: UnprojectedRows | undefined;
  /** False where the import is known to have not completed: its rows then have no states to look up. */
  readonly completed?: boolean;
}

export type RowWithState = RejectedRow & {
  /** Null while the import runs, and where it failed or was cancelled: its rows are then not corrected one by one. */
  readonly state: RowState | null;
};

/** With `state`, only the rows in that state: a page may then be short, or empty, and still have another one after it. */
export async function listRejectedRows(
  organisationId: string,
  name: ImportName & { readonly state?: RowState | undefined },
  page: PageRequest,
  sources: Sources,
): Promise<Page<RowWithState>> {
  const { state } = name;
  if (state !== undefined) return listRowsInState(organisationId, { ...name, state }, page, sources.pool);
  const { items, nextCursor } = await listAllRows(organisationId, name, page, sources);
  const numbers = items.map(({ row }) => row);
  const states = await rowStates(organisationId, name, name.completed === false ? [] : numbers, sources.pool);
  return { items: items.map((item) => ({ ...item, state: states.get(item.row) ?? null })), nextCursor };
}

async function listRowsInState(
  organisationId: string,
  name: ImportName & { readonly state: RowState },
  { limit, cursor, secret }: PageRequest,
  pool: Pool,
): Promise<Page<RowWithState>> {
  const { state } = name;
  const scope = ["rejections", organisationId, name.importId, state];
  const after = cursor === undefined ? 0 : Number(readCursor(secret, scope, cursor)[0]);
  const { rows, lookedUpTo } = await rowsInState(organisationId, name, { state, after, count: limit }, pool);
  const shown = rows.length === 0 ? [] : await projectedRows(organisationId, name, { after: undefined, count: limit, only: rows }, pool);
  const upTo = shown.length < rows.length ? shown.at(-1)?.row : lookedUpTo;
  return {
    items: shown.map(({ handle, error, data, row }) => ({ handle, error, data, row, state })),
    nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]),
  };
}

/** In row order; as many as are requested and fit into a page's bytes. */
function listAllRows(
  organisationId: string,
  name: ImportName,
  page: PageRequest,
  { pool, eventStore }: Sources,
): Promise<Page<RejectedRow>> {
  return readPage(
    page,
    ["rejections", organisationId, name.importId],
    async (after, count): Promise<readonly PageRow[]> => {
      const projected = await projectedRows(organisationId, name, { after: after?.[0], count }, pool);
      const last = projected.at(-1);
      if (!name.unprojected || projected.length === count || last?.isLast === false) return projected;
      const rest = await unprojectedRejections(
        name,
        {
          after: Math.max(last?.row ?? 0, Number(after?.[0] ?? 0)),
          from: after?.[1] === undefined ? 0n : BigInt(after[1]) + 1n,
          range: name.unprojected,
          count: count - projected.length,
          bytes: last === undefined ? undefined : limits.rejectedPageBytes - Number(last.bytes),
        },
        eventStore,
      );
      return rest.cutOff && rest.rows.length === 0 && last
        ? [...projected.slice(0, -1), { ...last, isLast: false }]
        : [...projected, ...rest.rows];
    },
    {
      placeOf: ({ row, revision }) => [String(row), ...(revision === undefined ? [] : [String(revision)])],
      itemOf: ({ handle, error, data, row }) => ({ handle, error, data, row }),
      goesOn: ({ isLast }) => !isLast,
    },
  );
}

type PageRow = RejectedRow & { readonly isLast: boolean; readonly revision?: bigint };

function projectedRows(
  organisationId: string,
  { kind, importId }: ImportName,
  { after, count, only }: { after: string | undefined; count: number; only?: readonly number[] },
  pool: Pool,
) {
  const database = databaseOf(pool);
  const wanted = database
    .select({ handle: rejections.handle, error: rejections.error, data: rejections.data, row: rejections.row })
    .from(rejections)
    .where(
      and(
        // Not a join: with many rows the planner would read and sort all rejected rows for each page.
        eq(rejections.importPosition, positionOf(organisationId, kind, importId, pool)),
        after === undefined ? undefined : gt(rejections.row, Number(after)),
        only === undefined ? undefined : inArray(rejections.row, [...only]),
      ),
    );
  // Rows that are named by number are few. With an order Postgres would read all rows before them.
  const chosen = (only === undefined ? wanted.orderBy(asc(rejections.row)).limit(count) : wanted).as("chosen");
  const bytes = sql`octet_length(${chosen.data}::text) + octet_length(${chosen.error}) + coalesce(octet_length(${chosen.handle}), 0)`;
  const sized = database
    .select({
      handle: chosen.handle,
      error: chosen.error,
      data: chosen.data,
      row: chosen.row,
      bytes: sql<number>`sum(${bytes}) over (order by ${chosen.row})`.as("bytes"),
      place: sql<number>`row_number() over (order by ${chosen.row})`.as("place"),
      isLast: sql<boolean>`lead(${chosen.row}) over (order by ${chosen.row}) is null`.as("is_last"),
    })
    .from(chosen)
    .as("sized");
  // Postgres measures the rows: those of older versions may have 1 MiB each, and are not fetched only to be measured.
  return database
    .select()
    .from(sized)
    .where(sql`${sized.bytes} <= ${limits.rejectedPageBytes} or ${sized.place} = 1`)
    .orderBy(asc(sized.row));
}

const positionOf = (organisationId: string, kind: ImportKind, importId: string, pool: Pool) =>
  databaseOf(pool)
    .select({ position: imports.position })
    .from(imports)
    .where(and(eq(imports.importId, importId), eq(imports.organisationId, organisationId), eq(imports.kind, kind)));
