import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { asDatabaseError } from "./errors.js";

const folder = fileURLToPath(new URL("../../../drizzle", import.meta.url));
const lock = 7_241_001; // any number, as long as nothing else in this database locks the same one

/** Brings the schema up to date. Processes that start together take turns: the first one migrates, the others find it done. */
export async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("set statement_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [lock]);
    await applyMigrations(drizzle(client), { migrationsFolder: folder });
  } catch (error) {
    broken = error as Error;
    throw asDatabaseError(error);
  } finally {
    // Closing the connection gives the lock back and leaves no changed setting in the pool.
    client.release(broken ?? true);
  }
}

/** The statements that make every table, in order. */
export const migrationStatements = (): string[] => readMigrationFiles({ migrationsFolder: folder }).flatMap(({ sql }) => sql);
