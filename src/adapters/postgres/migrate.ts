import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { StoreUnavailable } from "../../portErrors.js";
import { transaction } from "./pool.js";

const folder = fileURLToPath(new URL("../../../drizzle", import.meta.url));
const lock = 7_241_001; // any number that no other advisory lock of this database uses

/**
 * The tables that are filled from the log. Where they are missing beside a log with events, they are not created empty: an empty table would
 * say that a key, an import or a shipment does not exist. Whoever fills them brings them.
 */
export interface LogTables {
  readonly names: readonly string[];
  readonly logIsEmpty: () => Promise<boolean>;
  /** Functions that the code calls, with their bodies between `$$`. */
  readonly functions?: readonly string[];
  /** Called in the transaction that has created lost tables again. */
  readonly onLost?: (client: pg.PoolClient, names: readonly string[]) => Promise<unknown>;
}

/**
 * Migrates the database, and creates tables again that were dropped. Of several processes that start at once one migrates, and the other ones
 * wait and find nothing to do. The transaction holds the lock, not the session, which a pooler in transaction mode would keep.
 */
export async function migrate(pool: pg.Pool, filled: LogTables = { names: [], logIsEmpty: async () => true }): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
    await expectSupportedServer(client);
    await client.query("select pg_advisory_xact_lock($1)", [lock]);
    await ensureSchema(client);
    await client.query(addInputIsValid);
    const migrations = readMigrationFiles({ migrationsFolder: folder });
    const applied = await appliedOf(client, migrations);
    const lost = await missingTables(client, tableNames((applied.length || migrations.length) - 1));
    const unfilled = lost.filter((name) => filled.names.includes(name));
    const stayAway = unfilled.length > 0 && !(await filled.logIsEmpty());
    const nothingToDo = applied.length === migrations.length && lost.length === (stayAway ? unfilled.length : 0);
    if (!nothingToDo) {
      if (applied.length > 0) await restoreTables(client, lost, statementsOf(applied));
      await applyMigrations(drizzle(insideTransaction(client)), { migrationsFolder: folder });
      if (lost.length > 0) await filled.onLost?.(client, lost);
      if (stayAway) await client.query(`drop table if exists ${unfilled.map((name) => `public.${name}`).join(", ")}`);
    }
    for (const text of filled.functions ?? []) await createFunction(client, text);
  });
}

/** Most starts find it as it is, and need no right to change it. */
async function createFunction(client: pg.PoolClient, text: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_proc where prosrc = $1", [text.split("$$")[1]]);
  if (rowCount === 0) await client.query(text);
}

/** The tables of `names` that are not there. */
export async function missingTables(database: Pick<pg.ClientBase, "query">, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where to_regclass('public.' || name) is null",
    [names],
  );
  return rows.map(({ name }) => name);
}

/** The names of all tables, after the migration of this number; by default after the last one. */
export function tableNames(number = readMigrationFiles({ migrationsFolder: folder }).length - 1): readonly string[] {
  const snapshot = `${folder}/meta/${String(number).padStart(4, "0")}_snapshot.json`;
  const { tables } = JSON.parse(readFileSync(snapshot, "utf8")) as { tables: Record<string, { name: string }> };
  return Object.values(tables).map(({ name }) => name);
}

/** It may have been dropped with everything in it. */
async function ensureSchema(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>("select to_regnamespace('public') is not null as there");
  if (!rows[0]?.there) await client.query("create schema public");
}

async function appliedOf(client: pg.PoolClient, migrations: readonly MigrationMeta[]): Promise<MigrationMeta[]> {
  const { rows: tables } = await client.query("select where to_regclass('drizzle.__drizzle_migrations') is not null");
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ last: string | null }>("select max(created_at) as last from drizzle.__drizzle_migrations");
  return migrations.filter(({ folderMillis }) => folderMillis <= Number(rows[0]?.last ?? -1));
}

/** The migrator begins and commits a transaction by itself; here it takes part in one that is begun already. */
function insideTransaction(client: pg.PoolClient): pg.PoolClient {
  const query = (statement: { text?: string }, ...more: unknown[]) =>
    statement.text === "begin" || statement.text === "commit"
      ? Promise.resolve({ rows: [] })
      : (client.query as (...args: unknown[]) => unknown).call(client, statement, ...more);
  return Object.assign(Object.create(client) as pg.PoolClient, { query });
}

const statementsOf = (migrations: readonly MigrationMeta[]): string[] => [addInputIsValid, ...migrations.flatMap(({ sql }) => sql)];

/** All statements of all migrations, in order. */
export const migrationStatements = (): string[] => statementsOf(readMigrationFiles({ migrationsFolder: folder }));

const schema = "waybill_restore";

/** Creates dropped tables again, empty, as the migrations applied so far had made them. In the caller's transaction. */
async function restoreTables(client: pg.PoolClient, names: readonly string[], statements: readonly string[]): Promise<void> {
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

const oldest = 15;

/** Throws if the server is too old: its own error would be that of whichever statement it does not know. */
export async function expectSupportedServer(client: Pick<pg.ClientBase, "query">): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>("show server_version");
  const version = rows[0]?.server_version ?? "of an unknown version";
  if (Number.parseInt(version, 10) >= oldest) return;
  const message = `The database cannot be used: its server is Postgres ${version}. Waybill needs Postgres ${oldest} or later.`;
  throw new StoreUnavailable("database", message, { fault: "misconfigured" });
}

/** Postgres 15 lacks this function, which 16 and later have built in; theirs is found first where both are there. */
const addInputIsValid = `DO $do$ BEGIN
  IF to_regprocedure('pg_input_is_valid(text, text)') IS NULL THEN
    CREATE FUNCTION pg_input_is_valid(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$ BEGIN
      EXECUTE format('SELECT %L::%I', value, type);
      RETURN true;
    EXCEPTION WHEN data_exception THEN
      RETURN false;
    END $body$;
  END IF;
END $do$`;
