// How an audit and a rebuild note which rows of a table differ from what the streams say: both ways and by key, in a temporary table that
// lasts as long as the caller's transaction.
import type { PoolClient } from "pg";

export interface Difference {
  readonly organisationId: string | null;
  readonly importId: string | null;
  readonly table: string;
  /** By the name of the column. */
  readonly key: Readonly<Record<string, unknown>>;
  /** `missing` in the live table, `extra` there, or `changed`: then `columns` has those that differ, with their values as JSON. */
  readonly what: "missing" | "extra" | "changed";
  readonly columns: readonly { readonly name: string; readonly live: unknown; readonly rebuilt: unknown }[] | null;
}

export type Differences = Awaited<ReturnType<typeof readDifferences>>;

/** Where they are noted: an audit of the streams may have both in one transaction. */
type NotedIn = "differences" | "audit_differences";

/** A side of a comparison. */
type Side = "live" | "rebuilt";

/** The parts of a statement in SQL. */
interface Compared {
  readonly table: string;
  readonly keys: readonly string[];
  /** The rows of each side. */
  readonly rows: Readonly<Record<Side, string>>;
  /** What of a row is compared. */
  readonly valuesOf: (side: Side) => string;
  /** Whose row it is. */
  readonly organisationId: string;
  readonly importId: string;
  /** What the other parts name. */
  readonly before?: string;
  readonly joined?: string;
}

export async function createDifferences(client: PoolClient, notedIn: NotedIn): Promise<void> {
  await client.query(
    `create temp table ${notedIn} (name text, "key" text, live text, rebuilt text, organisation_id text, import_id text) on commit drop`,
  );
}

export async function noteRows(client: PoolClient, notedIn: NotedIn, compared: Compared, values: unknown[]): Promise<void> {
  const { table, keys, rows, valuesOf, organisationId, importId, before = "", joined = "" } = compared;
  await client.query(
    `insert into ${notedIn} ${before}
     select '${table}', ${keyOf(keys, eitherSide)}, row_to_json(live)::text, row_to_json(rebuilt)::text, ${organisationId}, ${importId}
       from (${rows.live}) as live full join (${rows.rebuilt}) as rebuilt on ${keys.map((key) => `live.${key} = rebuilt.${key}`).join(" and ")}
       ${joined} where (${valuesOf("live")}) is distinct from (${valuesOf("rebuilt")})`,
    values,
  );
}

export const eitherSide = (column: string): string => `coalesce(rebuilt.${column}, live.${column})`;

export const keyOf = (keys: readonly string[], column: (name: string) => string): string =>
  `json_build_object(${keys.map((key) => `'${key.replaceAll('"', "")}', ${column(key)}`).join(", ")})::text`;

/** What was noted: the first differences, and how many there are, also by organisation; those of no organisation are not among these. */
export async function readDifferences(client: PoolClient, notedIn: NotedIn, most: number) {
  const { rows: counts } = await client.query<{ organisationId: string | null; count: number }>(
    `select organisation_id as "organisationId", count(*)::int as count from ${notedIn} group by 1`,
  );
  const { rows: first } = await client.query<Difference>(
    `select organisation_id as "organisationId", import_id as "importId", name as "table", "key"::json as key,
            case when live is null then 'missing' when rebuilt is null then 'extra' else 'changed' end as what,
            (select json_agg(json_build_object('name', l.key, 'live', l.value, 'rebuilt', r.value))
               from json_each(live::json) l join json_each(rebuilt::json) r on r.key = l.key where l.value::text <> r.value::text) as columns
       from ${notedIn} as noted order by name, noted."key" limit $1`,
    [most],
  );
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    byOrganisation: new Map<string, number>(
      counts.flatMap(({ organisationId, count }) => (organisationId === null ? [] : [[organisationId, count]])),
    ),
    first,
  };
}
