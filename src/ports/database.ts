import type { Pool } from "pg";

/** What runs statements: a pool, or the client of a transaction. */
export type Database = Pick<Pool, "query">;
