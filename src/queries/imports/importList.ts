import { once } from "node:events";
import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Pool } from "pg";
import type { ImportKind } from "../../events/importEvents.js";
import { StoreUnavailable } from "../../portErrors.js";
import { imports } from "../../projections/tables/imports.js";
import { databaseOf } from "../database.js";
import { type Page, type PageRequest, readCursor, writeCursor } from "../page.js";
import { mayBeBehind, type ReadImport, readImport, readRow, rowAsItIs, type Sources } from "./importStatus.js";
import { type ImportRow, type ImportStatus, type ImportView, selectImports } from "./importView.js";

export interface ImportFilter {
  readonly kind?: ImportKind | undefined;
  readonly status?: ImportStatus | undefined;
  /** Text that occurs in the reference, in any letter case. */
  readonly reference?: string | undefined;
  /** Only those with rejected rows that wait for a correction. */
  readonly toCorrect?: boolean | undefined;
  /** Only those of which something was taken back. */
  readonly reversed?: boolean | undefined;
}

/** How many imports are read for one page: no index finds text in the middle of a reference and also has the order of the list. */
export const mostLookedAt = 5_000;

/** Newest first. With a reference a page may be short, or empty, and still have another one after it. */
export async function listImports(
  organisationId: string,
  filter: ImportFilter,
  { limit, cursor, secret }: PageRequest,
  sources: Sources,
): Promise<Page<ImportView>> {
  const { kind = "", status, reference } = filter;
  const rest = [status ?? "", reference ?? "", ...(filter.toCorrect ? ["to correct"] : []), ...(filter.reversed ? ["reversed"] : [])];
  const scope = ["imports", organisationId, kind, ...(rest.some((text) => text !== "") ? rest : [])];
  const before = cursor === undefined ? undefined : BigInt(readCursor(secret, scope, cursor)[0] ?? 0);
  const { items, upTo } = await findImports(organisationId, filter, { before, count: limit }, sources);
  return { items, nextCursor: upTo === undefined ? null : writeCursor(secret, scope, [String(upTo)]) };
}

/** Imports of both kinds, newest first, for the command line. */
export async function latestImports(organisationId: string, count: number, sources: Sources): Promise<readonly ImportView[]> {
  return (await findImports(organisationId, {}, { before: undefined, count }, sources)).items;
}

interface ListRange {
  readonly before: bigint | undefined;
  readonly count: number;
}

/** `upTo` is the position of the last import that was looked at, where there may be more after it. */
async function findImports(organisationId: string, filter: ImportFilter, { before, count }: ListRange, sources: Sources) {
  const late = AbortSignal.timeout(eventStoreMs);
  const range = { before, count: count + 1 };
  // Read before the table: an import that is projected in between is then found in both, and listed once.
  const waiting = await notYetProjected(organisationId, filter.kind, range, sources, late);
  const { rows, lookedUpTo } = await lookUp(organisationId, filter, range, sources.pool);
  const known = new Set(rows.map(({ importId }) => importId));
  const read = [...(await asOfNow(rows, sources, late)), ...waiting.filter(({ view }) => !known.has(view.importId))];
  const sorted = oneAtATime(read.toSorted((one, other) => Number(other.position - one.position))).filter(({ view }) => fits(view, filter));
  const shown = sorted.slice(0, count);
  const isMore = rows.length > count || sorted.length > count;
  return { items: shown.map(({ view }) => view), upTo: isMore ? (shown.at(-1)?.position ?? lookedUpTo) : lookedUpTo };
}

/** Checks the filter again, since the status from the stream may be newer than the table's. */
const fits = (view: ImportView, { kind, status, reference, toCorrect, reversed }: ImportFilter): boolean =>
  (!toCorrect || view.status === "completed") &&
  (!reversed || view.reversed !== null) &&
  (kind === undefined || view.kind === kind) &&
  (status === undefined || view.status === status) &&
  (reference === undefined || view.reference.toLowerCase().includes(reference.toLowerCase()));

/** The filter without the reference. */
export const wantedImports = (organisationId: string, { kind, status, toCorrect, reversed }: ImportFilter) =>
  and(
    eq(imports.organisationId, organisationId),
    kind === undefined ? undefined : eq(imports.kind, kind),
    status === undefined ? undefined : eq(imports.status, status),
    toCorrect
      ? sql`exists (select from rejection_groups g where g.organisation_id = ${organisationId} and g.import_id = ${imports.importId} and g.open > 0)`
      : undefined,
    reversed ? sql`exists (select from reversals r where r.import_id = ${imports.importId})` : undefined,
  );

interface LookedUp {
  readonly rows: readonly ImportRow[];
  /** The position of the last import that was looked at, where there may be more after it. */
  readonly lookedUpTo: bigint | undefined;
}

async function lookUp(organisationId: string, filter: ImportFilter, { before, count }: ListRange, pool: Pool): Promise<LookedUp> {
  const { reference } = filter;
  const wanted = and(wantedImports(organisationId, filter), before === undefined ? undefined : lt(imports.position, before));
  if (reference === undefined) {
    const rows = await selectImports(pool).where(wanted).orderBy(desc(imports.position)).limit(count);
    return { rows, lookedUpTo: rows[count - 1]?.position };
  }
  // Not `like`: a `%` in the reference is an ordinary character.
  const looked = await databaseOf(pool).execute<{ found: string[]; lookedUpTo: string | null }>(sql`
    with looked as materialized
      (select import_id, position, source_details from imports where ${wanted} order by position desc limit ${mostLookedAt})
    select array(select import_id::text from looked where strpos(lower(source_details), lower(${reference})) > 0
                  order by position desc limit ${count}) as found,
           (select case when count(*) = ${mostLookedAt} then min(position)::text end from looked) as "lookedUpTo"`);
  const { found = [], lookedUpTo = null } = looked.rows[0] ?? {};
  const rows = found.length === 0 ? [] : await selectImports(pool).where(inArray(imports.importId, found));
  return { rows, lookedUpTo: lookedUpTo === null ? undefined : BigInt(lookedUpTo) };
}

/** The time for the event store. After it, the list shows what the table has. */
const eventStoreMs = 1_500;
/** How many imports are read from their streams at once. While no projector runs, that is the whole queue. */
const atOnce = 20;
const mostWaiting = 2_000;

/** Each import with the status that a query for it alone shows, or with the table's status if the event store does not answer in time. */
export async function asOfNow(rows: readonly ImportRow[], sources: Sources, late: AbortSignal): Promise<ReadImport[]> {
  const behind = rows.filter(mayBeBehind);
  const fresh = new Map<string, ReadImport>();
  for (let from = 0; from < behind.length && !late.aborted; from += atOnce) {
    const reading = Promise.all(behind.slice(from, from + atOnce).map((row) => readRow(row, sources)));
    for (const read of await inTime(reading, late)) fresh.set(read.view.importId, read);
  }
  return rows.map((row) => fresh.get(row.importId) ?? rowAsItIs(row));
}

/** Imports that were just pushed or have just ended and are not in the table yet, newest first. Stops reading once it has `count`. */
async function notYetProjected(
  organisationId: string,
  kind: ImportKind | undefined,
  { before, count }: ListRange,
  sources: Sources,
  late: AbortSignal,
): Promise<ReadImport[]> {
  const { rows } = await sources.pool.query<{ importId: string }>(
    `select import_id as "importId" from
       (select import_id, position from import_queue where organisation_id = $1
        union select import_id, position from ended_imports where organisation_id = $1) as waiting
      where (position is null or $2::bigint is null or position < $2)
        and not exists (select from imports i where i.import_id = waiting.import_id)
      order by position desc nulls first limit $3`,
    [organisationId, before ?? null, mostWaiting],
  );
  const found: ReadImport[] = [];
  for (let from = 0; from < rows.length && found.length < count && !late.aborted; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    const reading = Promise.all(some.map(({ importId }) => readImport(organisationId, { kind, importId }, sources)));
    found.push(...(await inTime(reading, late)).filter((read) => read !== undefined));
  }
  return found.filter(({ position }) => before === undefined || position < before);
}

/** Empty when the event store is unavailable or too slow. */
async function inTime<Read>(reading: Promise<Read[]>, late: AbortSignal): Promise<Read[]> {
  const nothing = late.aborted ? [] : once(late, "abort").then(() => []);
  return Promise.race([reading, nothing]).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return [];
    throw error;
  });
}

/** The imports are read one after the other, so one may end and the next start in between. Then the older one is shown as running. */
export function oneAtATime(newestFirst: readonly ReadImport[]): ReadImport[] {
  const running = newestFirst.findLast(({ view }) => view.status === "processing");
  return newestFirst.map((read) => (read.view.status === "processing" && read !== running ? { ...read, view: notBegun(read.view) } : read));
}

const notBegun = (view: ImportView): ImportView => ({
  ...view,
  status: "queued",
  progress: 0,
  startedAt: null,
  counts: { received: 0, processed: 0, failed: 0 },
});
