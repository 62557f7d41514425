// Shadow tables have a schema of their own. An interrupted rebuild or audit leaves its schema behind; the next one drops it first.
import type { PoolClient } from "pg";
import { allProjections } from "../allProjections.js";
import { inTransaction } from "../running/locks.js";

/** The schema for each purpose. There are two, since a rebuild and an audit may run at the same time. */
export const shadowSchemas = { rebuild: "waybill_rebuild", audit: "waybill_audit" } as const;
export type ShadowPurpose = keyof typeof shadowSchemas;

export interface ShadowSchema {
  readonly schema: (typeof shadowSchemas)[ShadowPurpose];
  /** Postgres' id of the schema, which changes when a later run creates the schema again. */
  readonly schemaId: number;
}

/** `migrations` create the tables. Without them the shadow tables get the columns and indexes of the live ones, which must exist. */
export function createShadow(
  client: PoolClient,
  purpose: ShadowPurpose,
  migrations: readonly string[] | undefined,
  tables: readonly string[],
): Promise<ShadowSchema> {
  const schema = shadowSchemas[purpose];
  return inTransaction(client, async () => {
    await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
    if (migrations) await migrateShadow(client, schema, migrations, tables);
    else {
      const statements = [...tables, "checkpoints"].map((name) => `create table ${schema}.${name} (like public.${name} including all)`);
      await client.query(statements.join("; "));
    }
    const { rows } = await client.query<{ id: number }>("select $1::regnamespace::oid as id", [schema]);
    return { schema, schemaId: rows[0]?.id ?? 0 };
  });
}

async function migrateShadow(client: PoolClient, schema: string, migrations: readonly string[], tables: readonly string[]): Promise<void> {
  await client.query(`set local search_path to ${schema}`);
  await client.query(migrations.join(";\n"));
  await restoreMissing(client, schema, tables);
  await client.query("set local search_path to public");
  for (const statement of migrations.filter(createsFunction))
    await client.query(statement.replace(/create function/i, "create or replace function"));
}

const createsFunction = (statement: string): boolean => /^create (?:or replace )?function/im.test(statement);

/**
 * Creates missing live tables that no projection fills, such as the queue; they start empty. Missing tables of projections that this run does
 * not rebuild are not created, since empty ones would be wrong. Drops the shadow tables that are not to be rebuilt.
 */
async function restoreMissing(client: PoolClient, schema: string, rebuilt: readonly string[]): Promise<void> {
  const projected = allProjections.flatMap(({ tables }) => tables);
  const { rows } = await client.query<{ name: string }>("select tablename as name from pg_tables where schemaname = $1", [schema]);
  for (const { name } of rows.filter((row) => !rebuilt.includes(row.name))) {
    if (!projected.includes(name)) await client.query(`create table if not exists public.${name} (like ${schema}.${name} including all)`);
    if (name !== "checkpoints") await client.query(`drop table ${schema}.${name}`);
  }
}

/**
 * Every transaction on the shadow tables starts with this call: until the transaction ends, no other run can drop the schema. Throws if
 * another run has created the schema again, as can happen if the connection with the run's lock (withShadow.ts) was lost unnoticed.
 */
export async function lockShadow(client: PoolClient, shadow: ShadowSchema): Promise<void> {
  if (!(await isCurrent(client, shadow))) throw new Error(takenOverMessage);
  await client.query(`lock table ${shadow.schema}.checkpoints in access share mode`);
  if (!(await isCurrent(client, shadow))) throw new Error(takenOverMessage);
}

const takenOverMessage = "another rebuild or audit has begun meanwhile; this one has not changed the live tables";

async function isCurrent(client: PoolClient, { schema, schemaId }: ShadowSchema): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_namespace where nspname = $1 and oid = $2", [schema, schemaId]);
  return rows.length > 0;
}

export async function dropShadow(client: PoolClient, shadow: ShadowSchema): Promise<void> {
  if (await isCurrent(client, shadow)) await client.query(`drop schema ${shadow.schema} cascade`);
}
