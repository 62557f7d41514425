import { desc, eq } from "drizzle-orm";
import type { Pool } from "pg";
import { imports } from "../projections/tables/imports.js";
import { type ImportView, selectImports, viewOf } from "./importView.js";

/** Of both kinds, newest first: the operator's list. */
export async function latestImports(organisationId: string, count: number, pool: Pool): Promise<ImportView[]> {
  const rows = await selectImports(pool).where(eq(imports.organisationId, organisationId)).orderBy(desc(imports.position)).limit(count);
  return rows.map(viewOf);
}
