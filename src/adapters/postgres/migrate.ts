import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { asDatabaseError } from "./errors.js";

const folder = fileURLToPath(new URL("../../../drizzle", import.meta.url));
const lock = 7_241_001; // any number that no other advisory lock of this database uses

/**
 * Migrates the database. Of several processes that start at once one migrates, and the other ones wait and find nothing to do. The transaction
 * holds the lock, not the session, which a pooler in transaction mode would keep.
 */
export async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
    await client.query("select pg_advisory_xact_lock($1)", [lock]);
    // The migrator's `commit` ends this transaction, and with it the lock.
    await applyMigrations(drizzle(begunAlready(client)), { migrationsFolder: folder });
  } catch (error) {
    broken = error as Error;
    throw asDatabaseError(error);
  } finally {
    client.release(broken);
  }
}

/** The migrator begins a transaction by itself; Postgres warns in its log of a second `begin`. */
function begunAlready(client: pg.PoolClient): pg.PoolClient {
  const query = (statement: { text?: string }, ...more: unknown[]) =>
    statement.text === "begin"
      ? Promise.resolve({ rows: [] })
      : (client.query as (...args: unknown[]) => unknown).call(client, statement, ...more);
  return Object.assign(Object.create(client) as pg.PoolClient, { query });
}

/** All statements of all migrations, in order. */
export const migrationStatements = (): string[] => readMigrationFiles({ migrationsFolder: folder }).flatMap(({ sql }) => sql);
