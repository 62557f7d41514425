import { type LogEntry, type LogTopic, signInDays } from "../../domain/log/entry.js";
import { actorOf, firstStartPrincipal, operatorPrincipal, principalOf } from "../../domain/principal.js";
import { bindNames } from "../../namedSql.js";
import type { Database } from "../../ports/database.js";
import { type PageRequest, type RowPage, readPage, type TimeRange, timeScope } from "../rowPage.js";

export interface LogFilter extends TimeRange {
  /** The id of a key or a member, or `cli` for the command line. */
  readonly by?: string | undefined;
  readonly what?: LogTopic | undefined;
}

interface EntryRow extends Omit<LogEntry, "by"> {
  readonly actor: string;
  readonly position: string;
}

const columns = `event_id as id, at, actor, what, type as event, json_build_object('kind', about_kind, 'id', about_id) as about, details, stream,
  revision, position`;

/** SQL condition. Sign-ins are deleted by whole months, so they are stored a little longer than they are shown. */
const isShownSql = `(what <> 'sign-ins' or at > now() - interval '${signInDays} days')`;

/** One page of the log, newest first. */
export function listLog(organisationId: string, filter: LogFilter, page: PageRequest, pool: Database): Promise<RowPage<LogEntry>> {
  const { by, what } = filter;
  const scope = ["log", organisationId, by ?? "", what ?? "", ...timeScope(filter)];
  return readPage(page, scope, (after, count) => rowsAfter(organisationId, filter, { after, count }, pool), {
    cursorValues,
    itemOf: entryOf,
  });
}

const cursorValues = ({ at, position, revision }: EntryRow) => [at.toISOString(), position, revision];

const rowsPerBatch = 500;

/** All entries that pass the filter, newest first, in batches. */
export async function* allLogEntries(organisationId: string, filter: LogFilter, pool: Database): AsyncGenerator<LogEntry[]> {
  for (let after: readonly string[] | undefined; ; ) {
    const rows: EntryRow[] = await rowsAfter(organisationId, filter, { after, count: rowsPerBatch }, pool);
    if (rows.length > 0) yield rows.map(entryOf);
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerBatch) return;
    after = cursorValues(last);
  }
}

/** Undefined for another organisation's entry. */
export async function findLogEntry(organisationId: string, eventId: string, pool: Database): Promise<LogEntry | undefined> {
  const { rows } = await pool.query<EntryRow>(
    `select ${columns} from log_entries where organisation_id = $1 and event_id = $2 and ${isShownSql}`,
    [organisationId, eventId],
  );
  return rows[0] && entryOf(rows[0]);
}

interface Span {
  readonly after: readonly string[] | undefined;
  readonly count: number;
}

/** `by` may stand for several actors: reads the rows of each in the order of the index, and merges them. */
async function rowsAfter(organisationId: string, filter: LogFilter, range: Span, pool: Database): Promise<EntryRow[]> {
  const { by } = filter;
  if (by === undefined) return actorRows(organisationId, filter, undefined, range, pool);
  const actors = await actorsOf(organisationId, by, pool);
  const found = await Promise.all(actors.map((actor) => actorRows(organisationId, filter, actor, range, pool)));
  return found.flat().sort(newestFirst).slice(0, range.count);
}

const newestFirst = (one: EntryRow, other: EntryRow): number =>
  other.at.getTime() - one.at.getTime() ||
  Number(BigInt(other.position) - BigInt(one.position)) ||
  Number(BigInt(other.revision) - BigInt(one.revision));

async function actorRows(organisationId: string, { what, from, to }: LogFilter, actor: string | undefined, range: Span, pool: Database) {
  const [at, position, revision] = range.after ?? [];
  const values = { organisationId, actor, what, from, to, at, position, revision, count: range.count };
  return (await pool.query<EntryRow>(bindNames(listSql, values))).rows;
}

const listSql = `
  select ${columns} from log_entries
   where organisation_id = :organisationId and (:actor::text is null or actor = :actor) and (:what::text is null or what = :what)
     and (:from::timestamptz is null or at >= :from) and (:to::timestamptz is null or at < :to) and ${isShownSql}
     and (:at::timestamptz is null or (at, position, revision) < (:at::timestamptz, :position::bigint, :revision::bigint))
   order by at desc, position desc, revision desc limit :count`;

/** The actors that `by` stands for, as `kind:id`. Older events name a key by its prefix, so one key can be several actors. */
async function actorsOf(organisationId: string, by: string, pool: Database): Promise<string[]> {
  if (by === "cli") return [actorOf(operatorPrincipal), actorOf(firstStartPrincipal)];
  const { rows } = await pool.query<{ prefix: string }>("select distinct prefix from api_keys where organisation_id = $1 and key_id = $2", [
    organisationId,
    by,
  ]);
  return [`member:${by}`, `key:${by}`, ...rows.map(({ prefix }) => `key:${prefix}`)];
}

const entryOf = ({ actor, position: _, ...entry }: EntryRow): LogEntry => ({ ...entry, by: principalOf(actor) });
