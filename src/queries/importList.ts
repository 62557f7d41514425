import { and, desc, eq, lt } from "drizzle-orm";
import type { Pool } from "pg";
import type { ImportKind } from "../events/importEvents.js";
import { imports } from "../projections/tables/imports.js";
import { type ImportView, selectImports, viewOf } from "./importView.js";
import { type Page, type PageRequest, readPage } from "./page.js";

/** Newest first. */
export function listImports(organisationId: string, kind: ImportKind, page: PageRequest, pool: Pool): Promise<Page<ImportView>> {
  return readPage(
    page,
    ["imports", organisationId, kind],
    (after, count) =>
      selectImports(pool)
        .where(
          and(
            eq(imports.organisationId, organisationId),
            eq(imports.kind, kind),
            after?.[0] === undefined ? undefined : lt(imports.position, BigInt(after[0])),
          ),
        )
        .orderBy(desc(imports.position))
        .limit(count),
    { placeOf: (row) => [String(row.position)], itemOf: viewOf },
  );
}
