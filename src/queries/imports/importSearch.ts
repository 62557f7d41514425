import { and, eq, inArray, lt, sql } from "drizzle-orm";
import type { ImportKind } from "../../events/importEvents.js";
import { imports } from "../../projections/tables/imports.js";
import { readCursor, writeCursor } from "../cursor.js";
import { databaseOf } from "../database.js";
import type { Page, PageRequest } from "../page.js";
import { asOfNow, eventStoreMs, notYetProjected, oneAtATime } from "./importList.js";
import type { ReadImport, Sources } from "./importStatus.js";
import { type ImportStatus, type ImportView, selectImports } from "./importView.js";

export interface ImportFilter {
  readonly kind?: ImportKind | undefined;
  readonly status?: ImportStatus | undefined;
  /** Text that occurs in the reference, in any letter case. */
  readonly reference?: string | undefined;
}

/** How many imports are read for one page: no index finds text in the middle of a reference and also has the order of the list. */
export const mostLookedAt = 5_000;

/** Newest first. With a reference a page may be short, or empty, and still have another one after it. */
export async function searchImports(
  organisationId: string,
  filter: ImportFilter,
  { limit, cursor, secret }: PageRequest,
  sources: Sources,
): Promise<Page<ImportView>> {
  const scope = ["imports found", organisationId, filter.kind ?? "", filter.status ?? "", filter.reference ?? ""];
  const after = cursor === undefined ? undefined : readCursor(secret, scope, cursor)[0];
  const before = after === undefined ? undefined : BigInt(after);
  const late = AbortSignal.timeout(eventStoreMs);
  // Read before the table: an import that is projected in between is then found in both, and listed once.
  const waiting = await notYetProjected(organisationId, filter.kind, { before, count: limit + 1 }, sources, late);
  const { found, lookedUpTo } = await lookUp(organisationId, filter, { before, count: limit + 1 }, sources);
  const rows = found.length === 0 ? [] : await selectImports(sources.pool).where(inArray(imports.importId, found));
  const known = new Set(found);
  const read = [...(await asOfNow(rows, sources, late)), ...waiting.filter(({ view }) => !known.has(view.importId))];
  const sorted = oneAtATime(read.toSorted((one, other) => Number(other.position - one.position))).filter(({ view }) => fits(view, filter));
  const shown = sorted.slice(0, limit);
  const upTo = rows.length > limit || sorted.length > shown.length ? lastOf(shown, lookedUpTo) : lookedUpTo;
  return { items: shown.map(({ view }) => view), nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]) };
}

const lastOf = (shown: readonly ReadImport[], otherwise: bigint | undefined) => shown.at(-1)?.position ?? otherwise;

/** Checks the filter again, since the status from the stream may be newer than the table's. */
const fits = (view: ImportView, { kind, status, reference }: ImportFilter): boolean =>
  (kind === undefined || view.kind === kind) &&
  (status === undefined || view.status === status) &&
  (reference === undefined || view.reference.toLowerCase().includes(reference.toLowerCase()));

interface Looked {
  readonly found: readonly string[];
  /** The position of the last import that was looked at, where there may be more after it. */
  readonly lookedUpTo: bigint | undefined;
}

async function lookUp(
  organisationId: string,
  { kind, status, reference }: ImportFilter,
  { before, count }: { readonly before: bigint | undefined; readonly count: number },
  { pool }: Sources,
): Promise<Looked> {
  const most = reference === undefined ? count : mostLookedAt;
  const wanted = and(
    eq(imports.organisationId, organisationId),
    kind === undefined ? undefined : eq(imports.kind, kind),
    status === undefined ? undefined : eq(imports.status, status),
    before === undefined ? undefined : lt(imports.position, before),
  );
  // Not `like`: a `%` in the reference is an ordinary character.
  const matches = reference === undefined ? sql`true` : sql`strpos(lower(source_details), lower(${reference})) > 0`;
  const { rows } = await databaseOf(pool).execute<{ found: string[]; lookedUpTo: string | null }>(sql`
    with looked as materialized
      (select import_id, position, source_details from imports where ${wanted} order by position desc limit ${most})
    select array(select import_id::text from looked where ${matches} order by position desc limit ${count}) as found,
           (select case when count(*) = ${most} then min(position)::text end from looked) as "lookedUpTo"`);
  const { found = [], lookedUpTo = null } = rows[0] ?? {};
  return { found, lookedUpTo: lookedUpTo === null ? undefined : BigInt(lookedUpTo) };
}
