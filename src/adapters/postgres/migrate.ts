import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { StoreUnavailable } from "../../portErrors.js";
import { transaction } from "./pool.js";

const migrationsFolder = fileURLToPath(new URL("../../../drizzle", import.meta.url));
const migrationLock = 7_241_001; // an arbitrary number that no other advisory lock of this database uses

/**
 * The tables that a projector fills from the log. If they are missing beside a log with events, the migration does not create them empty,
 * since an empty table would say that a key, an import or a shipment does not exist. The projector, or a rebuild, creates and fills them.
 */
export interface LogTables {
  readonly names: readonly string[];
  readonly logIsEmpty: () => Promise<boolean>;
  /** SQL texts that each create a function for the service's queries, with the body between `$$`. */
  readonly functions?: readonly string[];
  /** Called in the transaction with the names of all tables that were missing before: on a first start all of them. */
  readonly onMissing?: (client: pg.PoolClient, names: readonly string[]) => Promise<unknown>;
}

/**
 * Migrates the database, and creates dropped tables again. If several processes start together, one migrates; the others wait and then
 * find nothing to do. The lock belongs to the transaction, since a pooler in transaction mode would keep a session's lock.
 */
export async function migrate(pool: pg.Pool, logTables: LogTables = { names: [], logIsEmpty: async () => true }): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
    await expectSupportedServer(client);
    await client.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    await ensureSchema(client);
    await client.query(createInputIsValidSql);
    const migrations = readMigrationFiles({ migrationsFolder });
    const applied = await appliedMigrations(client, migrations);
    const lost = await missingTables(client, tableNames((applied.length || migrations.length) - 1));
    const lostLogTables = lost.filter((name) => logTables.names.includes(name));
    const leaveMissing = lostLogTables.length > 0 && !(await logTables.logIsEmpty());
    const isUpToDate = applied.length === migrations.length && lost.length === (leaveMissing ? lostLogTables.length : 0);
    if (!isUpToDate) {
      if (applied.length > 0) await restoreTables(client, lost, statementsOf(applied));
      await applyMigrations(drizzle(clientInTransaction(client)), { migrationsFolder });
      if (lost.length > 0) await logTables.onMissing?.(client, lost);
      if (leaveMissing) await client.query(`drop table if exists ${lostLogTables.map((name) => `public.${name}`).join(", ")}`);
    }
    for (const text of logTables.functions ?? []) await createFunction(client, text);
  });
}

/** Creates the function unless there is one with this body. So most starts need no permission to create functions. */
async function createFunction(client: pg.PoolClient, text: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_proc where prosrc = $1", [text.split("$$")[1]]);
  if (rowCount === 0) await client.query(text);
}

/** The names without a table. */
export async function missingTables(database: Pick<pg.ClientBase, "query">, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where to_regclass('public.' || name) is null",
    [names],
  );
  return rows.map(({ name }) => name);
}

/** The names of all tables after the migration of this number, by default after the last one. */
export function tableNames(number = readMigrationFiles({ migrationsFolder }).length - 1): readonly string[] {
  const snapshot = `${migrationsFolder}/meta/${String(number).padStart(4, "0")}_snapshot.json`;
  const { tables } = JSON.parse(readFileSync(snapshot, "utf8")) as { tables: Record<string, { name: string }> };
  return Object.values(tables).map(({ name }) => name);
}

/** Creates the schema if it is missing, since it may have been dropped with everything in it. */
async function ensureSchema(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>("select to_regnamespace('public') is not null as exists");
  if (!rows[0]?.exists) await client.query("create schema public");
}

async function appliedMigrations(client: pg.PoolClient, migrations: readonly MigrationMeta[]): Promise<MigrationMeta[]> {
  const { rows: tables } = await client.query("select where to_regclass('drizzle.__drizzle_migrations') is not null");
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ last: string | null }>("select max(created_at) as last from drizzle.__drizzle_migrations");
  return migrations.filter(({ folderMillis }) => folderMillis <= Number(rows[0]?.last ?? -1));
}

/** A client that ignores `begin` and `commit`: the migrator sends them, but has to take part in a transaction that has begun already. */
function clientInTransaction(client: pg.PoolClient): pg.PoolClient {
  const query = (statement: { text?: string }, ...more: unknown[]) =>
    statement.text === "begin" || statement.text === "commit"
      ? Promise.resolve({ rows: [] })
      : (client.query as (...args: unknown[]) => unknown).call(client, statement, ...more);
  return Object.assign(Object.create(client) as pg.PoolClient, { query });
}

const statementsOf = (migrations: readonly MigrationMeta[]): string[] => [createInputIsValidSql, ...migrations.flatMap(({ sql }) => sql)];

/** All statements of all migrations in order, after the one that adds `pg_input_is_valid`. */
export const migrationStatements = (): string[] => statementsOf(readMigrationFiles({ migrationsFolder }));

const restoreSchema = "waybill_restore";

/** Creates dropped tables again, empty and as the applied migrations had made them, in the caller's transaction. */
async function restoreTables(client: pg.PoolClient, names: readonly string[], statements: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query(`create schema ${restoreSchema}; set local search_path to ${restoreSchema}`);
  for (const statement of statements) await client.query(statement);
  for (const name of names) await client.query(`alter table ${restoreSchema}.${name} set schema public`);
  // The functions may have been dropped with the tables.
  await client.query("set local search_path to public");
  for (const statement of statements.filter((each) => functionHead.test(each)))
    await client.query(statement.replace(functionHead, "create or replace function"));
  await client.query(`drop schema ${restoreSchema} cascade; set local search_path to default`);
}

const functionHead = /^create (?:or replace )?function/im;

const minServerVersion = 15;

/** Throws if the server is too old. Otherwise the first statement that it does not know would fail with an unclear error. */
export async function expectSupportedServer(client: Pick<pg.ClientBase, "query">): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>("show server_version");
  const version = rows[0]?.server_version ?? "of an unknown version";
  if (Number.parseInt(version, 10) >= minServerVersion) return;
  const message = `The database cannot be used: its server is Postgres ${version}. Waybill needs Postgres ${minServerVersion} or later.`;
  throw new StoreUnavailable("database", message, { fault: "misconfigured" });
}

/** Postgres 15 lacks this function. Later versions have it built in, and prefer the built-in one if both exist. */
const createInputIsValidSql = `DO $do$ BEGIN
  IF to_regprocedure('pg_input_is_valid(text, text)') IS NULL THEN
    CREATE FUNCTION pg_input_is_valid(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$ BEGIN
      EXECUTE format('SELECT %L::%I', value, type);
      RETURN true;
    EXCEPTION WHEN data_exception THEN
      RETURN false;
    END $body$;
  END IF;
END $do$`;
