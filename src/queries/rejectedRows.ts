import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { limits } from "../domain/imports/limits.js";
import type { ImportKind } from "../events/importEvents.js";
import { imports, rejections } from "../projections/tables/imports.js";
import { databaseOf } from "./database.js";
import { type Page, type PageRequest, readPage } from "./page.js";

export interface RejectedRow {
  /** The shipmentId of a shipment row, the reference of an activity row. */
  readonly handle: string | null;
  readonly error: string;
  readonly data: unknown;
  readonly row: number;
}

/** In row order, as many as are asked for and fit into a page's bytes. An import that the table does not know yet has an empty page. */
export function listRejectedRows(
  organisationId: string,
  { kind, importId }: { kind: ImportKind; importId: string },
  page: PageRequest,
  pool: Pool,
): Promise<Page<RejectedRow>> {
  return readPage(
    page,
    ["rejections", organisationId, importId],
    (after, count) => {
      const database = databaseOf(pool);
      const asked = database
        .select({ handle: rejections.handle, error: rejections.error, data: rejections.data, row: rejections.row })
        .from(rejections)
        .where(
          and(
            // Not a join: with one, the planner reads and sorts all rejected rows for each page once there are many.
            eq(rejections.importPosition, positionOf(organisationId, kind, importId, pool)),
            after?.[0] === undefined ? undefined : gt(rejections.row, Number(after[0])),
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
      // Counted by Postgres: rows recorded before values were bounded may be a mebibyte each, and are not to be fetched to be measured.
      return database
        .select()
        .from(sized)
        .where(sql`${sized.bytes} <= ${limits.rejectedPageBytes} or ${sized.place} = 1`)
        .orderBy(asc(sized.row));
    },
    {
      placeOf: ({ row }) => [String(row)],
      itemOf: ({ handle, error, data, row }) => ({ handle, error, data, row }),
      goesOn: ({ isLast }) => !isLast,
    },
  );
}

const positionOf = (organisationId: string, kind: ImportKind, importId: string, pool: Pool) =>
  databaseOf(pool)
    .select({ position: imports.position })
    .from(imports)
    .where(and(eq(imports.importId, importId), eq(imports.organisationId, organisationId), eq(imports.kind, kind)));
