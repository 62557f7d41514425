// src/projections turns events into the rows that queries read. A projection takes a batch and a transaction, writes set-based SQL
// and calls nothing outside; applyBatch.ts commits its rows and its checkpoint together. Table names are unqualified on purpose:
// a rebuild runs the same code with the search path on a shadow schema.
import type { PoolClient } from "pg";
import type { Refuse, SortedBatch } from "./sortedBatch.js";

export interface Projection {
  readonly name: string;
  /** The tables it alone writes; a rebuild replaces them as one. */
  readonly tables: readonly string[];
  apply(client: PoolClient, batch: SortedBatch, options: ApplyOptions): Promise<void>;
}

export interface ApplyOptions {
  readonly refuse: Refuse;
  /** Set after a plain write met a row that was already there: the first one stays. */
  readonly keepExisting: boolean;
}
