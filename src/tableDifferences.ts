// How an audit and a rebuild find the rows of a table that differ from what the streams say. Rows are matched by key, so that missing and
// extra rows are found too. The differences go into a temporary table, which lasts as long as the caller's transaction.
import type { PoolClient } from "pg";

export interface Difference {
  readonly organisationId: string | null;
  readonly importId: string | null;
  readonly table: string;
  /** The values of the key's columns, by column name. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The row is `missing` from the live table, is an `extra` one there, or has `changed` values. */
  readonly what: "missing" | "extra" | "changed";
  /** The columns that differ, with their values as JSON; null for a missing or extra row. */
  readonly columns: readonly { readonly name: string; readonly live: unknown; readonly rebuilt: unknown }[] | null;
}

export type Differences = Awaited<ReturnType<typeof readDifferences>>;

/** The temporary table. There are two names, since an audit of the streams may need both tables in one transaction. */
type DifferencesTable = "differences" | "audit_differences";

type Side = "live" | "rebuilt";

/** The comparison of one table. Every text in it is SQL. */
interface TableComparison {
  readonly table: string;
  readonly keys: readonly string[];
  /** The query for the rows of each side. */
  readonly rows: Readonly<Record<Side, string>>;
  /** The values of a row that are compared. */
  readonly valuesOf: (side: Side) => string;
  /** The organisation and the import to which the row belongs, and the `with` clause and joins that the other parts need. */
  readonly organisationId: string;
  readonly importId: string;
  readonly withClause?: string;
  readonly joins?: string;
}

export async function createDifferencesTable(client: PoolClient, target: DifferencesTable): Promise<void> {
  await client.query(
    `create temp table ${target} (name text, "key" text, live text, rebuilt text, organisation_id text, import_id text) on commit drop`,
  );
}

export async function noteRowDifferences(client: PoolClient, target: DifferencesTable, comparison: TableComparison, values: unknown[]) {
  const { table, keys, rows, valuesOf, organisationId, importId, withClause = "", joins = "" } = comparison;
  await client.query(
    `insert into ${target} ${withClause}
     select '${table}', ${keyJson(keys, eitherColumn)}, row_to_json(live)::text, row_to_json(rebuilt)::text, ${organisationId}, ${importId}
       from (${rows.live}) as live full join (${rows.rebuilt}) as rebuilt on ${keys.map((key) => `live.${key} = rebuilt.${key}`).join(" and ")}
       ${joins} where (${valuesOf("live")}) is distinct from (${valuesOf("rebuilt")})`,
    values,
  );
}

export const eitherColumn = (column: string): string => `coalesce(rebuilt.${column}, live.${column})`;

export const keyJson = (keys: readonly string[], column: (name: string) => string): string =>
  `json_build_object(${keys.map((key) => `'${key.replaceAll('"', "")}', ${column(key)}`).join(", ")})::text`;

/** The first `limit` differences, and how many there are. `byOrganisation` leaves out rows without an organisation; `count` does not. */
export async function readDifferences(client: PoolClient, target: DifferencesTable, limit: number) {
  const { rows: counts } = await client.query<{ organisationId: string | null; count: number }>(
    `select organisation_id as "organisationId", count(*)::int as count from ${target} group by 1`,
  );
  const { rows: first } = await client.query<Difference>(
    `select organisation_id as "organisationId", import_id as "importId", name as "table", "key"::json as key,
            case when live is null then 'missing' when rebuilt is null then 'extra' else 'changed' end as what,
            (select json_agg(json_build_object('name', l.key, 'live', l.value, 'rebuilt', r.value))
               from json_each(live::json) l join json_each(rebuilt::json) r on r.key = l.key where l.value::text <> r.value::text) as columns
       from ${target} as noted order by name, noted."key" limit $1`,
    [limit],
  );
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    byOrganisation: new Map<string, number>(
      counts.flatMap(({ organisationId, count }) => (organisationId === null ? [] : [[organisationId, count]])),
    ),
    first,
  };
}
