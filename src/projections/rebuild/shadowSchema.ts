// A rebuild writes to a schema of its own, which the same migrations create. An interrupted rebuild leaves that schema behind; the next
// one drops it first.
import type { PoolClient } from "pg";
import { allProjections } from "../allProjections.js";
import { beginWithoutLimits } from "../running/locks.js";

export const shadowSchema = "waybill_rebuild";

/** Returns the schema's id, which is another one when a later rebuild creates the schema again. */
export async function createShadow(client: PoolClient, migrations: readonly string[], tables: readonly string[]): Promise<number> {
  await beginWithoutLimits(client);
  try {
    await client.query(`drop schema if exists ${shadowSchema} cascade; create schema ${shadowSchema}`);
    await client.query(`set local search_path to ${shadowSchema}`);
    for (const statement of migrations) await client.query(statement);
    await restoreMissing(client, tables);
    await client.query("set local search_path to public");
    for (const statement of migrations.filter(makesFunction))
      await client.query(statement.replace(/create function/i, "create or replace function"));
    const { rows } = await client.query<{ id: number }>("select $1::regnamespace::oid as id", [shadowSchema]);
    await client.query("commit");
    return rows[0]?.id ?? 0;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

const makesFunction = (statement: string): boolean => /^create (?:or replace )?function/im.test(statement);

/**
 * Live tables of no projection, such as the queue, are not rebuilt. One that was dropped is created again, empty. Those of other projections
 * are not: they would say that there is nothing in them.
 */
async function restoreMissing(client: PoolClient, rebuilt: readonly string[]): Promise<void> {
  const projected = allProjections.flatMap(({ tables }) => tables);
  const { rows } = await client.query<{ name: string }>("select tablename as name from pg_tables where schemaname = $1", [shadowSchema]);
  for (const { name } of rows.filter((row) => !rebuilt.includes(row.name))) {
    if (!projected.includes(name))
      await client.query(`create table if not exists public.${name} (like ${shadowSchema}.${name} including all)`);
    if (name !== "checkpoints") await client.query(`drop table ${shadowSchema}.${name}`);
  }
}

/**
 * First in every transaction on the shadow tables: until the transaction ends, no other rebuild can drop the schema. Throws if another
 * rebuild has created the schema again, which can happen after the connection with this rebuild's lock was lost unnoticed.
 */
export async function claimShadow(client: PoolClient, schemaId: number): Promise<void> {
  if (!(await isOwn(client, schemaId))) throw new Error(takenOver);
  await client.query(`lock table ${shadowSchema}.checkpoints in access share mode`);
  if (!(await isOwn(client, schemaId))) throw new Error(takenOver);
}

const takenOver = "another rebuild has begun meanwhile; this one has left the live tables as they were";

async function isOwn(client: PoolClient, schemaId: number): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_namespace where nspname = $1 and oid = $2", [shadowSchema, schemaId]);
  return rows.length > 0;
}

export async function dropShadow(client: PoolClient, schemaId: number): Promise<void> {
  if (await isOwn(client, schemaId)) await client.query(`drop schema ${shadowSchema} cascade`);
}
