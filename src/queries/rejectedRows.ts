import { and, asc, eq, gt } from "drizzle-orm";
import type { Pool } from "pg";
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

/** In row order. An import that the table does not know yet has an empty page. */
export function listRejectedRows(
  organisationId: string,
  { kind, importId }: { kind: ImportKind; importId: string },
  page: PageRequest,
  pool: Pool,
): Promise<Page<RejectedRow>> {
  return readPage(
    page,
    ["rejections", organisationId, importId],
    (after, count) =>
      databaseOf(pool)
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
        .limit(count),
    { placeOf: ({ row }) => [String(row)], itemOf: (row) => row },
  );
}

const positionOf = (organisationId: string, kind: ImportKind, importId: string, pool: Pool) =>
  databaseOf(pool)
    .select({ position: imports.position })
    .from(imports)
    .where(and(eq(imports.importId, importId), eq(imports.organisationId, organisationId), eq(imports.kind, kind)));
