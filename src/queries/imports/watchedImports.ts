import { asc, inArray, sql } from "drizzle-orm";
import type { Pool } from "pg";
import { imports } from "../../projections/tables/imports.js";
import { type ImportRow, selectImports } from "./importView.js";

export interface WatchedImportsQuery {
  /** Finds all imports of these organisations that run, wait or are new. */
  readonly organisationIds: readonly string[];
  /** For these organisations, also finds the newest imports of any status. */
  readonly newestOf: readonly string[];
  /** Also finds these imports, as far as they belong to the organisations. */
  readonly importIds: readonly string[];
  /** The position after which an import is new. */
  readonly since: bigint;
}

const mostUnfinished = 1_000;
const mostNew = 200;
export const newestShown = 25;

/** Everything that open pages have to know of, for all organisations in one query. Oldest first. */
export async function watchedImports(
  { organisationIds, newestOf, importIds, since }: WatchedImportsQuery,
  pool: Pool,
): Promise<ImportRow[]> {
  const ours = sql`organisation_id = any(${sql.param(organisationIds)}::text[])`;
  const wanted = sql`(
    (select import_id from imports where ${ours} and status in ('queued', 'processing') order by position limit ${mostUnfinished})
    union (select import_id from imports where position > ${since} and ${ours} order by position limit ${mostNew})
    union select import_id from imports where import_id = any(${sql.param(importIds)}::uuid[]) and ${ours}
    union select newest.import_id from unnest(${sql.param(newestOf)}::text[]) as ours (id)
      cross join lateral (select import_id from imports where organisation_id = ours.id order by position desc limit ${newestShown}) as newest)`;
  return selectImports(pool).where(inArray(imports.importId, wanted)).orderBy(asc(imports.position));
}

/** Of all organisations. */
export async function newestImport(pool: Pool): Promise<{ readonly importId: string; readonly position: string } | undefined> {
  const { rows } = await pool.query<{ importId: string; position: string }>(
    'select import_id as "importId", position from imports order by position desc limit 1',
  );
  return rows[0];
}
