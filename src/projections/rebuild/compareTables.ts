// Compares the live tables with those that were filled anew from the event log: both ways, by key, table by table. What a table has is asked of the
// database, so that a new table is compared without an entry here.
import type { PoolClient } from "pg";
import { createDifferences, type Differences, eitherSide, keyOf, noteRows, readDifferences } from "../../tableDifferences.js";
import type { Projection } from "../projection.js";
import type { Shadow } from "./catchUp.js";

/** Which rows are compared. */
export interface TableScope {
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  /** Included, and not included: of a table with a column `at`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

type TableShape = Awaited<ReturnType<typeof shapeOf>>;

interface Column {
  readonly name: string;
  readonly isJson: boolean;
  readonly isKey: boolean;
}

/** Notes each difference in a temporary table, which lasts as long as the caller's transaction. Returns how many rows each live table has. */
export async function noteDifferences({ client, schema, projections }: Shadow, scope: TableScope): Promise<Record<string, number>> {
  await createDifferences(client, "differences");
  const counts: Record<string, number> = {};
  for (const projection of projections) {
    for (const table of projection.tables) {
      counts[table] = await compareTable(client, schema, await shapeOf(client, schema, table, projection), scope);
    }
  }
  return counts;
}

/** `condition`: SQL for which of its rows are compared. `$1` is the organisation, `$2` and `$3` are times, each null for all. */
async function shapeOf(client: PoolClient, schema: string, table: string, { compared }: Projection) {
  const { rows: columns } = await client.query<Column>(
    `select quote_ident(a.attname) as name, a.atttypid = 'json'::regtype as "isJson", coalesce(a.attnum = any(i.indkey), false) as "isKey"
       from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [`${schema}.${table}`],
  );
  const has = (column: string) => columns.some(({ name }) => name === column);
  const owner = has("organisation_id")
    ? "organisation_id = $1"
    : has("import_position")
      ? `import_position in (select position from ${schema}.imports where organisation_id = $1)`
      : has("import_id")
        ? `import_id in (select import_id from ${schema}.imports where organisation_id = $1)`
        : table === "organisations"
          ? "id = $1"
          : "false"; // it belongs to no organisation
  const inTime = has("at")
    ? `($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)`
    : "coalesce($2, $3::timestamptz) is null";
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  return { table, keys, columns, condition: `($1::text is null or ${owner}) and ${inTime} and (${compared ?? "true"})` };
}

/** Values are compared as their types are, so that 1.50 is 1.5; JSON as text, since its order counts. */
async function compareTable(
  client: PoolClient,
  schema: string,
  { table, keys, columns, condition }: TableShape,
  scope: TableScope,
): Promise<number> {
  if (keys.length === 0) throw new Error(`the table ${table} has no primary key to compare its rows by`);
  const has = (column: string) => columns.some(({ name }) => name === column);
  const importId = has("import_id")
    ? eitherSide("import_id")
    : has("import_position")
      ? `(select import_id from ${schema}.imports where position = ${eitherSide("import_position")})`
      : "null";
  const organisationId = has("organisation_id") ? eitherSide("organisation_id") : table === "organisations" ? eitherSide("id") : "null";
  const values = [scope.organisationId ?? null, scope.from ?? null, scope.to ?? null];
  const rowsOf = (place: string) => `select * from ${place}.${table} where ${condition}`;
  const compared = {
    ...{ table, keys, organisationId, importId },
    rows: { live: rowsOf("public"), rebuilt: rowsOf(schema) },
    valuesOf: (side: string) => columns.map(({ name, isJson }) => `${side}.${name}${isJson ? "::text" : ""}`).join(", "),
  };
  await noteRows(client, "differences", compared, values);
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from public.${table} where ${condition}`, values);
  return rows[0]?.count ?? 0;
}

/**
 * A command may have written its row before the projector came to its event, and other events may have followed. Rows that the event log changes
 * after the compared position are left out: the shadow tables have come further meanwhile.
 */
export async function leaveOutChangingRows({ client, schema }: Shadow, projections: readonly Projection[]): Promise<void> {
  for (const projection of projections) {
    for (const table of projection.tables) {
      const { keys } = await shapeOf(client, schema, table, projection);
      await client.query(
        `delete from differences d using (
           select noted."key" from differences noted left join ${schema}.${table} later on ${keyOf(keys, (name) => `later.${name}`)} = noted."key"
            where noted.name = $1 and row_to_json(later)::text is distinct from noted.rebuilt) as moving
          where d.name = $1 and d."key" = moving."key"`,
        [table],
      );
    }
  }
}

/** What was noted. A row of an organisation's import belongs to the organisation. */
export async function readOwnedDifferences({ client, schema, projections }: Shadow, most: number): Promise<Differences> {
  if (projections.some(({ tables }) => tables.includes("imports")))
    await client.query(
      `update differences d set organisation_id = i.organisation_id from ${schema}.imports i where i.import_id::text = d.import_id and d.organisation_id is null`,
    );
  return readDifferences(client, "differences", most);
}
