// What a list of imports shows beside their status: who sent each, and how many of its rejected rows wait for a correction.

import { sql } from "drizzle-orm";
import type { Pool } from "pg";
import { type Principal, principalOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import { imports } from "../../projections/tables/imports.js";
import { databaseOf } from "../database.js";
import { lookedUpSql } from "../rejectedRows/openRows.js";
import { type ImportFilter, wantedImports } from "./importList.js";

export interface ListedImport {
  readonly by: Principal;
  readonly openRows: number;
}

/** In one statement. An import that is not projected yet is absent. */
export async function listedImports(
  organisationId: string,
  importIds: readonly string[],
  pool: Database,
): Promise<ReadonlyMap<string, ListedImport>> {
  if (importIds.length === 0) return new Map();
  const { rows } = await pool.query<{ importId: string; by: string; openRows: number }>(
    `with ${lookedUpSql}
     select i.import_id as "importId", i.requested_by as by,
            coalesce(sum(case when g.kind = 'shipments' and g.import_position > looked_above.position then coalesce(l.open, 0) else g.open end), 0)::float8 as "openRows"
       from imports i cross join looked_above
       left join rejection_groups g on g.organisation_id = $1 and g.import_id = i.import_id and g.open > 0
       left join looked l on l.position = g.import_position and l.reason_key = g.reason_key
      where i.organisation_id = $1 and i.import_id = any($4::uuid[]) group by 1, 2`,
    [organisationId, null, null, importIds],
  );
  return new Map(rows.map(({ importId, by, openRows }) => [importId, { by: principalOf(by), openRows }]));
}

const mostCounted = 10_000;

/** Those that are projected. `more`: counting ended at `mostCounted`. Undefined for a filter by reference, which no index finds. */
export async function countImports(organisationId: string, filter: ImportFilter, pool: Pool) {
  if (filter.reference !== undefined) return undefined;
  const { rows } = await databaseOf(pool).execute<{ count: number }>(
    sql`select count(*)::integer as count from (select from ${imports} where ${wantedImports(organisationId, filter)} limit ${mostCounted + 1}) as counted`,
  );
  const { count = 0 } = rows[0] ?? {};
  return { count: Math.min(count, mostCounted), more: count > mostCounted };
}
