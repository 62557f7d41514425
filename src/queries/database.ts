// src/queries has the reads. The organisation id is the first argument of every query and part of every look-up, so another organisation's
// data is never found. Rows come from the projections' tables.
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool } from "pg";
import type { Database } from "../ports/database.js";

/** Typed reads over a pool or a client. */
export const databaseOf = (pool: Database): NodePgDatabase => drizzle({ client: pool as Pool });
