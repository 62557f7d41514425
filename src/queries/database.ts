// src/queries has the reads. The organisation id is the first argument of every query and part of every look-up, so another organisation's
// data is never found. Rows come from the projections' tables.
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";

const databases = new WeakMap<Pool, NodePgDatabase>();

/** Typed reads over a pool. */
export function databaseOf(pool: Pool): NodePgDatabase {
  const known = databases.get(pool) ?? drizzle({ client: pool });
  databases.set(pool, known);
  return known;
}
