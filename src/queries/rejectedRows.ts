import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { limits } from "../domain/imports/limits.js";
import type { ImportKind } from "../events/importEvents.js";
import type { EventStore } from "../ports.js";
import { imports, rejections } from "../projections/tables/imports.js";
import { databaseOf } from "./database.js";
import { type Page, type PageRequest, readPage } from "./page.js";
import type { RejectedRow } from "./rejectedRow.js";
import type { Unprojected } from "./streamView.js";
import { unprojectedRejections } from "./unprojectedRejections.js";

interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface ImportName {
  readonly kind: ImportKind;
  readonly importId: string;
  /** Set when the import's ending is shown before it is projected: its last rejected rows then come from the stream. */
  readonly unprojected?: Unprojected | undefined;
}

/** In row order; as many as are requested and fit into a page's bytes. */
export function listRejectedRows(
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
  { after, count }: { after: string | undefined; count: number },
  pool: Pool,
) {
  const database = databaseOf(pool);
  const asked = database
    .select({ handle: rejections.handle, error: rejections.error, data: rejections.data, row: rejections.row })
    .from(rejections)
    .where(
      and(
        // Not a join: with many rows the planner would read and sort all rejected rows for each page.
        eq(rejections.importPosition, positionOf(organisationId, kind, importId, pool)),
        after === undefined ? undefined : gt(rejections.row, Number(after)),
      ),
    )
    .orderBy(asc(rejections.row))
    .limit(count)
    .as("asked");
  const bytes = sql`octet_length(${asked.data}::text) + octet_length(${asked.error}) + coalesce(octet_length(${asked.handle}), 0)`;
  const sized = database
    .select({
      handle: asked.handle,
      error: asked.error,
      data: asked.data,
      row: asked.row,
      bytes: sql<number>`sum(${bytes}) over (order by ${asked.row})`.as("bytes"),
      place: sql<number>`row_number() over (order by ${asked.row})`.as("place"),
      isLast: sql<boolean>`lead(${asked.row}) over (order by ${asked.row}) is null`.as("is_last"),
    })
    .from(asked)
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
