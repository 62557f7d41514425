import type { Pool } from "pg";
import type { EventStore } from "./eventStore.js";

/** What runs statements: a pool, or the client of a transaction. */
export type Database = Pick<Pool, "query">;

/** The tables and the log. */
export interface Stores {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}
