import { and, desc, eq, gt, gte, lt, ne, or, sql } from "drizzle-orm";
import { type LogEntry, type LogTopic, signInDays } from "../../domain/log/entry.js";
import { actorOf, firstStart, operator, principalOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import { logEntries } from "../../projections/tables/log.js";
import { databaseOf } from "../database.js";
import { type Page, type PageRequest, readPage, type TimeRange, timeScope } from "../page.js";

export interface LogFilter extends TimeRange {
  /** The id of a key or a member, or `cli` for the command line. */
  readonly by?: string | undefined;
  readonly what?: LogTopic | undefined;
}

type Row = typeof logEntries.$inferSelect;

/** Sign-ins are kept a little longer than they are shown: by whole months. */
const isShown = or(ne(logEntries.what, "sign-ins"), gt(logEntries.at, sql`now() - interval '${sql.raw(String(signInDays))} days'`));

/** Newest first. */
export function listLog(organisationId: string, filter: LogFilter, page: PageRequest, pool: Database): Promise<Page<LogEntry>> {
  const { by, what } = filter;
  const scope = ["log", organisationId, by ?? "", what ?? "", ...timeScope(filter)];
  return readPage(page, scope, (after, count) => rowsBehind(organisationId, filter, { after, count }, pool), {
    cursorValues,
    itemOf: entryOf,
  });
}

const cursorValues = ({ at, position, revision }: Row) => [at.toISOString(), String(position), String(revision)];

const atOnce = 500;

/** All of them, newest first, some at a time. */
export async function* allLogEntries(organisationId: string, filter: LogFilter, pool: Database): AsyncGenerator<LogEntry[]> {
  for (let after: readonly string[] | undefined; ; ) {
    const rows: Row[] = await rowsBehind(organisationId, filter, { after, count: atOnce }, pool);
    if (rows.length > 0) yield rows.map(entryOf);
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    after = cursorValues(last);
  }
}

/** Another organisation's entry is not found. */
export async function findLogEntry(organisationId: string, eventId: string, pool: Database): Promise<LogEntry | undefined> {
  const wanted = and(eq(logEntries.organisationId, organisationId), eq(logEntries.eventId, eventId), isShown);
  const [row] = await databaseOf(pool).select().from(logEntries).where(wanted);
  return row && entryOf(row);
}

interface Range {
  readonly after: readonly string[] | undefined;
  readonly count: number;
}

/** Of several actors, each one's rows come from the index in their order, and are then put together. */
async function rowsBehind(organisationId: string, filter: LogFilter, range: Range, pool: Database): Promise<Row[]> {
  const { by } = filter;
  if (by === undefined) return rowsOf(organisationId, filter, undefined, range, pool);
  const actors = await actorsOf(organisationId, by, pool);
  const found = await Promise.all(actors.map((actor) => rowsOf(organisationId, filter, actor, range, pool)));
  return found.flat().sort(newestFirst).slice(0, range.count);
}

const newestFirst = (one: Row, other: Row): number =>
  other.at.getTime() - one.at.getTime() || Number(other.position - one.position) || Number(other.revision - one.revision);

async function rowsOf(
  organisationId: string,
  { what, from, to }: LogFilter,
  actor: string | undefined,
  { after, count }: Range,
  pool: Database,
): Promise<Row[]> {
  const { at, position, revision } = logEntries;
  const [lastAt, lastPosition, lastRevision] = after ?? [];
  return databaseOf(pool)
    .select()
    .from(logEntries)
    .where(
      and(
        eq(logEntries.organisationId, organisationId),
        actor === undefined ? undefined : eq(logEntries.actor, actor),
        what === undefined ? undefined : eq(logEntries.what, what),
        from && gte(at, from),
        to && lt(at, to),
        after && sql`(${at}, ${position}, ${revision}) < (${lastAt}::timestamptz, ${lastPosition}::bigint, ${lastRevision}::bigint)`,
        isShown,
      ),
    )
    .orderBy(desc(at), desc(position), desc(revision))
    .limit(count);
}

/** `kind:id`. Older events name a key by its prefix, so one key can be several actors. */
async function actorsOf(organisationId: string, by: string, pool: Database): Promise<string[]> {
  if (by === "cli") return [actorOf(operator), actorOf(firstStart)];
  const { rows } = await pool.query<{ prefix: string }>("select distinct prefix from api_keys where organisation_id = $1 and key_id = $2", [
    organisationId,
    by,
  ]);
  return [`member:${by}`, `key:${by}`, ...rows.map(({ prefix }) => `key:${prefix}`)];
}

const entryOf = ({ eventId, at, actor, what, type, aboutKind, aboutId, details, stream, revision }: Row): LogEntry => ({
  id: eventId,
  at,
  by: principalOf(actor),
  what,
  event: type,
  about: { kind: aboutKind, id: aboutId },
  details,
  stream,
  revision: String(revision),
});
