// A rebuild works beside the live tables, in a schema of its own that the same migrations fill. An interrupted one leaves that schema
// behind, unused; the next one begins by dropping it.
import type { PoolClient } from "pg";

export const shadowSchema = "waybill_rebuild";

export async function createShadow(client: PoolClient, migrations: readonly string[], tables: readonly string[]): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`drop schema if exists ${shadowSchema} cascade; create schema ${shadowSchema}`);
    await client.query(`set local search_path to ${shadowSchema}`);
    for (const statement of migrations) await client.query(statement);
    await restoreMissing(client, tables);
    await client.query("set local search_path to public");
    for (const statement of migrations.filter(makesFunction))
      await client.query(statement.replace(/create function/i, "create or replace function"));
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

const makesFunction = (statement: string): boolean => /^create (?:or replace )?function/im.test(statement);

/** Live tables that are no projection, such as the checkpoints, are not rebuilt; where one was dropped, it comes back empty. */
async function restoreMissing(client: PoolClient, projected: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select tablename as name from pg_tables where schemaname = $1", [shadowSchema]);
  for (const { name } of rows.filter((row) => !projected.includes(row.name))) {
    await client.query(`create table if not exists public.${name} (like ${shadowSchema}.${name} including all)`);
    if (name !== "checkpoints") await client.query(`drop table ${shadowSchema}.${name}`);
  }
}

export async function dropShadow(client: PoolClient): Promise<void> {
  await client.query(`drop schema if exists ${shadowSchema} cascade`);
}
