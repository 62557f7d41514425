import type { Pool } from "pg";
import type { EventStore } from "./eventStore.js";

/** What runs statements: a pool, or the client of a transaction. */
export type Database = Pick<Pool, "query">;

export const hasRow = async (database: Database, statement: string, values: readonly unknown[]): Promise<boolean> =>
  (await database.query(statement, [...values])).rowCount !== 0;

/** The tables and the event log. */
export interface Stores {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}
