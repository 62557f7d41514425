import { type LogEntry, type LogTopic, signInDays } from "../../domain/log/entry.js";
import { actorOf, firstStart, operator, principalOf } from "../../domain/principal.js";
import { named } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type PageRequest, type RowPage, readPage, type TimeRange, timeScope } from "../rowPage.js";

export interface LogFilter extends TimeRange {
  /** The id of a key or a member, or `cli` for the command line. */
  readonly by?: string | undefined;
  readonly what?: LogTopic | undefined;
}

interface Row extends Omit<LogEntry, "by"> {
  readonly actor: string;
  readonly position: string;
}

const columns = `event_id as id, at, actor, what, type as event, json_build_object('kind', about_kind, 'id', about_id) as about, details, stream,
  revision, position`;

/** SQL. Sign-ins are kept a little longer than they are shown: by whole months. */
const isShown = `(what <> 'sign-ins' or at > now() - interval '${signInDays} days')`;

/** Newest first. */
export function listLog(organisationId: string, filter: LogFilter, page: PageRequest, pool: Database): Promise<RowPage<LogEntry>> {
  const { by, what } = filter;
  const scope = ["log", organisationId, by ?? "", what ?? "", ...timeScope(filter)];
  return readPage(page, scope, (after, count) => rowsBehind(organisationId, filter, { after, count }, pool), {
    cursorValues,
    itemOf: entryOf,
  });
}

const cursorValues = ({ at, position, revision }: Row) => [at.toISOString(), position, revision];

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
  const { rows } = await pool.query<Row>(`select ${columns} from log_entries where organisation_id = $1 and event_id = $2 and ${isShown}`, [
    organisationId,
    eventId,
  ]);
  return rows[0] && entryOf(rows[0]);
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
  other.at.getTime() - one.at.getTime() ||
  Number(BigInt(other.position) - BigInt(one.position)) ||
  Number(BigInt(other.revision) - BigInt(one.revision));

async function rowsOf(organisationId: string, { what, from, to }: LogFilter, actor: string | undefined, range: Range, pool: Database) {
  const [at, position, revision] = range.after ?? [];
  const values = { organisationId, actor, what, from, to, at, position, revision, count: range.count };
  return (await pool.query<Row>(named(listSql, values))).rows;
}

const listSql = `
  select ${columns} from log_entries
   where organisation_id = :organisationId and (:actor::text is null or actor = :actor) and (:what::text is null or what = :what)
     and (:from::timestamptz is null or at >= :from) and (:to::timestamptz is null or at < :to) and ${isShown}
     and (:at::timestamptz is null or (at, position, revision) < (:at::timestamptz, :position::bigint, :revision::bigint))
   order by at desc, position desc, revision desc limit :count`;

/** `kind:id`. Older events name a key by its prefix, so one key can be several actors. */
async function actorsOf(organisationId: string, by: string, pool: Database): Promise<string[]> {
  if (by === "cli") return [actorOf(operator), actorOf(firstStart)];
  const { rows } = await pool.query<{ prefix: string }>("select distinct prefix from api_keys where organisation_id = $1 and key_id = $2", [
    organisationId,
    by,
  ]);
  return [`member:${by}`, `key:${by}`, ...rows.map(({ prefix }) => `key:${prefix}`)];
}

const entryOf = ({ actor, position: _, ...entry }: Row): LogEntry => ({ ...entry, by: principalOf(actor) });
