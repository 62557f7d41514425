import type { Pool } from "pg";
import { type Principal, principalOf } from "../../domain/principal.js";
import type { ImportKind } from "../../events/importEvents.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { lookedUpRowsSql } from "../rejectedRows/openRows.js";
import { type PageRequest, type RowPage, readCursor, writeCursor } from "../rowPage.js";
import { type ImportStatus, type ImportView, readImportRows, viewOf } from "./importView.js";

export interface ImportFilter {
  readonly kind?: ImportKind | undefined;
  readonly status?: ImportStatus | undefined;
  /** Text that occurs in the reference, in any letter case. */
  readonly reference?: string | undefined;
  /** True for only the imports with rejected rows that wait for a correction. */
  readonly toCorrect?: boolean | undefined;
  /** True for only the imports with a reversal. */
  readonly reversed?: boolean | undefined;
}

/** How many imports a page of a search by reference reads: no index both finds text inside a reference and has the list's order. */
export const maxImportsRead = 5_000;

/** The imports that pass the filter, newest first. With a reference, a page may be short or empty and still have a next page. */
export async function listImports(
  organisationId: string,
  filter: ImportFilter,
  { limit, cursor, secret }: PageRequest,
  { pool }: { readonly pool: Pool },
): Promise<RowPage<ImportView>> {
  const { kind = "", status, reference } = filter;
  const parts = [status ?? "", reference ?? "", ...(filter.toCorrect ? ["to correct"] : []), ...(filter.reversed ? ["reversed"] : [])];
  const scope = ["imports", organisationId, kind, ...(parts.some((text) => text !== "") ? parts : [])];
  const before = cursor === undefined ? undefined : BigInt(readCursor(secret, scope, cursor)[0] ?? 0);
  const { rows, readUpTo } = await findRows(organisationId, filter, before, limit + 1, pool);
  const shown = rows.slice(0, limit);
  const upTo = rows.length > limit ? shown.at(-1)?.position : readUpTo;
  return { items: shown.map(viewOf), nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]) };
}

/** Imports of both kinds, newest first, for the command line. */
export const latestImports = async (organisationId: string, count: number, { pool }: { readonly pool: Pool }): Promise<ImportView[]> =>
  (await findRows(organisationId, {}, undefined, count, pool)).rows.map(viewOf);

/** The `where` clause for the filter without the reference. */
function filterSql({ kind, status, toCorrect, reversed }: ImportFilter): string {
  const conditions = [
    "i.organisation_id = :organisationId",
    kind && "i.kind = :kind",
    status && "i.status = :status",
    toCorrect &&
      "exists (select from rejection_groups g where g.organisation_id = i.organisation_id and g.import_id = i.import_id and g.open > 0)",
    reversed && "exists (select from reversals r where r.import_id = i.import_id)",
  ];
  return `where ${conditions.filter(Boolean).join(" and ")}`;
}

/** `readUpTo` is the position of the last import that was read, if a filter by reference may find more after it. */
async function findRows(organisationId: string, filter: ImportFilter, before: bigint | undefined, count: number, pool: Pool) {
  const values = { ...filter, organisationId, before, count };
  const where = filterSql(filter) + (before === undefined ? "" : " and i.position < :before");
  if (filter.reference === undefined)
    return { rows: await readImportRows(`${where} order by i.position desc limit :count`, values, pool), readUpTo: undefined };
  // Not `like`: a `%` in the reference is an ordinary character.
  const result = await pool.query<{ found: string[]; readUpTo: string | null }>(
    bindNames(
      `with looked as materialized
         (select import_id, position, source_details from imports i ${where} order by position desc limit ${maxImportsRead})
       select array(select import_id::text from looked where strpos(lower(source_details), lower(:reference)) > 0
                     order by position desc limit :count) as found,
              (select case when count(*) = ${maxImportsRead} then min(position)::text end from looked) as "readUpTo"`,
      values,
    ),
  );
  const { found = [], readUpTo = null } = result.rows[0] ?? {};
  const rows =
    found.length === 0 ? [] : await readImportRows("where i.import_id = any(:found::uuid[]) order by i.position desc", { found }, pool);
  return { rows, readUpTo: readUpTo === null ? undefined : BigInt(readUpTo) };
}

/** What a list shows of an import beside its status: who sent it, and how many of its rejected rows wait for a correction. */
export interface ListedImport {
  readonly by: Principal;
  readonly openRows: number;
}

/** By import id, and from one statement. An import that is not projected yet is absent. */
export async function listedImports(
  organisationId: string,
  importIds: readonly string[],
  pool: Database,
): Promise<ReadonlyMap<string, ListedImport>> {
  if (importIds.length === 0) return new Map();
  const { rows } = await pool.query<{ importId: string; by: string; openRows: number }>(
    `with ${lookedUpRowsSql}
     select i.import_id as "importId", i.requested_by as by,
            coalesce(sum(case when g.kind = 'shipments' and g.import_position > looked_above.position then coalesce(l.open, 0) else g.open end), 0)::float8 as "openRows"
       from imports i cross join looked_above
       left join rejection_groups g on g.organisation_id = $1 and g.import_id = i.import_id and g.open > 0
       left join looked l on l.position = g.import_position and l.reason_key = g.reason_key
      where i.organisation_id = $1 and i.import_id = any($3::uuid[]) group by 1, 2`,
    [organisationId, null, importIds],
  );
  return new Map(rows.map(({ importId, by, openRows }) => [importId, { by: principalOf(by), openRows }]));
}

const maxCounted = 10_000;

/** Counts projected imports; `more`: there are more than `maxCounted`. Undefined for a filter by reference, which no index serves. */
export async function countImports(organisationId: string, filter: ImportFilter, pool: Pool) {
  if (filter.reference !== undefined) return undefined;
  const { rows } = await pool.query<{ count: number }>(
    bindNames(`select count(*)::integer as count from (select from imports i ${filterSql(filter)} limit ${maxCounted + 1}) as counted`, {
      ...filter,
      organisationId,
    }),
  );
  const { count = 0 } = rows[0] ?? {};
  return { count: Math.min(count, maxCounted), more: count > maxCounted };
}
