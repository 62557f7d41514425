// src/queries has the reads. The organisation id is the first argument of every query and part of every look-up, so another organisation's
// data is never found. Rows come from the projections' tables.
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import type { Database } from "../ports/database.js";

const databases = new WeakMap<Database, NodePgDatabase>();

/** Typed reads over a pool or a client. */
export function databaseOf(pool: Database): NodePgDatabase {
  const known = databases.get(pool) ?? drizzle({ client: pool as Pool });
  databases.set(pool, known);
  return known;
}
