// Compares the live tables with the shadow tables: both ways, by key, table by table. The columns of a table are read from the database, so
// that a new table needs no entry here.
import type { PoolClient } from "pg";
import { createDifferencesTable, eitherColumn, keyJson, noteRowDifferences, readDifferences } from "../../tableDifferences.js";
import type { Projection } from "../projection.js";
import type { Shadow } from "./catchUp.js";

/** Which rows are compared. */
export interface TableScope {
  /** Undefined for all organisations. */
  readonly organisationId: string | undefined;
  /** Only rows from this time on and before `to`. With either, tables without a column `at` are left out. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

type ComparedTable = Awaited<ReturnType<typeof describeTable>>;

interface Column {
  readonly name: string;
  readonly isJson: boolean;
  readonly isKey: boolean;
}

/** Notes each difference in a temporary table of the caller's transaction. Returns how many rows of each live table it compared. */
export async function noteDifferences({ client, schema, projections }: Shadow, scope: TableScope): Promise<Record<string, number>> {
  await createDifferencesTable(client, "differences");
  const counts: Record<string, number> = {};
  for (const projection of projections) {
    for (const table of projection.tables) {
      counts[table] = await compareTable(client, schema, await describeTable(client, schema, table, projection), scope);
    }
  }
  return counts;
}

/** `condition` is SQL for the rows to compare: `$1` is the organisation, `$2` and `$3` are times, each null for all rows. */
async function describeTable(client: PoolClient, schema: string, table: string, { comparedRowsSql }: Projection) {
  const { rows: columns } = await client.query<Column>(
    `select quote_ident(a.attname) as name, a.atttypid = 'json'::regtype as "isJson", coalesce(a.attnum = any(i.indkey), false) as "isKey"
       from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [`${schema}.${table}`],
  );
  const has = (column: string) => columns.some(({ name }) => name === column);
  const ownerCondition = has("organisation_id")
    ? "organisation_id = $1"
    : has("import_position")
      ? `import_position in (select position from ${schema}.imports where organisation_id = $1)`
      : has("import_id")
        ? `import_id in (select import_id from ${schema}.imports where organisation_id = $1)`
        : table === "organisations"
          ? "id = $1"
          : "false"; // the table belongs to no organisation
  const timeCondition = has("at")
    ? `($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)`
    : "coalesce($2, $3::timestamptz) is null";
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const condition = `($1::text is null or ${ownerCondition}) and ${timeCondition} and (${comparedRowsSql ?? "true"})`;
  return { table, keys, columns, condition };
}

/** Compares values by their types, so that 1.50 equals 1.5, but json as text, since its order counts. */
async function compareTable(
  client: PoolClient,
  schema: string,
  { table, keys, columns, condition }: ComparedTable,
  scope: TableScope,
): Promise<number> {
  if (keys.length === 0) throw new Error(`the table ${table} has no primary key to compare its rows by`);
  const has = (column: string) => columns.some(({ name }) => name === column);
  const importId = has("import_id")
    ? eitherColumn("import_id")
    : has("import_position")
      ? `(select import_id from ${schema}.imports where position = ${eitherColumn("import_position")})`
      : "null";
  const organisationId = has("organisation_id") ? eitherColumn("organisation_id") : table === "organisations" ? eitherColumn("id") : "null";
  const values = [scope.organisationId ?? null, scope.from ?? null, scope.to ?? null];
  const rowsIn = (schemaName: string) => `select * from ${schemaName}.${table} where ${condition}`;
  const comparison = {
    ...{ table, keys, organisationId, importId },
    rows: { live: rowsIn("public"), rebuilt: rowsIn(schema) },
    valuesOf: (side: string) => columns.map(({ name, isJson }) => `${side}.${name}${isJson ? "::text" : ""}`).join(", "),
  };
  await noteRowDifferences(client, "differences", comparison, values);
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from public.${table} where ${condition}`, values);
  return rows[0]?.count ?? 0;
}

/**
 * Removes differences in rows that events after the compared position change: a command may have written such a row before the projector
 * reached its event. The caller has applied those events to the shadow tables.
 */
export async function leaveOutChangingRows({ client, schema }: Shadow, projections: readonly Projection[]): Promise<void> {
  for (const projection of projections) {
    for (const table of projection.tables) {
      const { keys } = await describeTable(client, schema, table, projection);
      await client.query(
        `delete from differences d using (
           select noted."key" from differences noted left join ${schema}.${table} later on ${keyJson(keys, (name) => `later.${name}`)} = noted."key"
            where noted.name = $1 and row_to_json(later)::text is distinct from noted.rebuilt) as changing
          where d.name = $1 and d."key" = changing."key"`,
        [table],
      );
    }
  }
}

/** Reads the noted differences. A row of an import counts as a row of the import's organisation. */
export async function readOwnedDifferences({ client, schema, projections }: Shadow, max: number) {
  if (projections.some(({ tables }) => tables.includes("imports")))
    await client.query(
      `update differences d set organisation_id = i.organisation_id from ${schema}.imports i where i.import_id::text = d.import_id and d.organisation_id is null`,
    );
  return readDifferences(client, "differences", max);
}
