// Tables that are filled anew are written to a schema of their own. An interrupted rebuild or audit leaves its schema behind; the next one drops
// it first.
import type { PoolClient } from "pg";
import { allProjections } from "../allProjections.js";
import { inTransaction } from "../running/locks.js";

/** What the tables are filled for, and their schema. A rebuild and an audit may run at the same time. */
export const shadowSchemas = { rebuild: "waybill_rebuild", audit: "waybill_audit" } as const;
export type ShadowPurpose = keyof typeof shadowSchemas;

export interface ShadowSchema {
  readonly schema: (typeof shadowSchemas)[ShadowPurpose];
  /** Another one when a later rebuild creates the schema again. */
  readonly schemaId: number;
}

/** `migrations` make the tables. Without them the tables are as the live ones, which have to be there. */
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
      const copied = [...tables, "checkpoints"].map((name) => `create table ${schema}.${name} (like public.${name} including all)`);
      await client.query(copied.join("; "));
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
  for (const statement of migrations.filter(makesFunction))
    await client.query(statement.replace(/create function/i, "create or replace function"));
}

const makesFunction = (statement: string): boolean => /^create (?:or replace )?function/im.test(statement);

/**
 * Live tables of no projection, such as the queue, are not rebuilt. One that was dropped is created again, empty. Those of other projections
 * are not: they would say that there is nothing in them.
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
 * First in every transaction on the shadow tables: until the transaction ends, nobody else can drop the schema. Throws if somebody has created
 * it again, which can happen after the connection with the lock was lost unnoticed.
 */
export async function lockShadow(client: PoolClient, shadow: ShadowSchema): Promise<void> {
  if (!(await isOwn(client, shadow))) throw new Error(takenOver);
  await client.query(`lock table ${shadow.schema}.checkpoints in access share mode`);
  if (!(await isOwn(client, shadow))) throw new Error(takenOver);
}

const takenOver = "another rebuild has begun meanwhile; this one has left the live tables as they were";

async function isOwn(client: PoolClient, { schema, schemaId }: ShadowSchema): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_namespace where nspname = $1 and oid = $2", [schema, schemaId]);
  return rows.length > 0;
}

export async function dropShadow(client: PoolClient, shadow: ShadowSchema): Promise<void> {
  if (await isOwn(client, shadow)) await client.query(`drop schema ${shadow.schema} cascade`);
}
