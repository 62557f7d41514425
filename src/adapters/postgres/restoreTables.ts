import type pg from "pg";

const schema = "waybill_restore";

/** Creates dropped tables again, empty, as the migrations applied so far had made them. In the caller's transaction. */
export async function restoreTables(client: pg.PoolClient, names: readonly string[], statements: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(`create schema ${schema}; set local search_path to ${schema}`);
  for (const statement of statements) await client.query(statement);
  for (const name of names) await client.query(`alter table ${schema}.${name} set schema public`);
  // The functions may have been dropped with the tables.
  await client.query("set local search_path to public");
  for (const statement of statements.filter((each) => functionHead.test(each)))
    await client.query(statement.replace(functionHead, "create or replace function"));
  await client.query(`drop schema ${schema} cascade; set local search_path to default`);
}

const functionHead = /^create (?:or replace )?function/im;
