// src/projections turns events into the rows that queries read: models has one file per projection, tables the table definitions, running
// the projector, and rebuild the command that builds the tables again from the event log. A projection takes a batch and a transaction,
// writes set-based SQL and calls no other store; applyBatch.ts commits the rows and the checkpoint together. Table names are unqualified,
// since a rebuild runs the same code with the search path set to a shadow schema.
import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { EventStore } from "../ports/eventStore.js";
import type { SkipEvent, SortedBatch } from "./sortedBatch.js";

export interface Projection {
  readonly name: string;
  /** Only this projection writes these tables, and a rebuild replaces all of them together. */
  readonly tables: readonly string[];
  /**
   * The version of the tables' content; 1 by default. Raise it when existing tables lack something that only the event log can supply: the
   * projector then builds them again beside the live ones.
   */
  readonly shape?: number;
  /** SQL for the imports whose rows a command wrote before the projector reached their events. A rebuild reads their streams. */
  readonly aheadImportsSql?: string;
  /** SQL condition for the rows that a rebuild or an audit compares, without those that commands wrote ahead or that will be deleted. */
  readonly comparedRowsSql?: string;
  apply(client: PoolClient, batch: SortedBatch, options: ApplyOptions): Promise<void>;
}

/** What the projector and a rebuild run with. */
export interface ProjectionDeps {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export interface ApplyOptions {
  readonly skip: SkipEvent;
  /** True on the second attempt, after an insert failed on an existing row: existing rows then stay as they are. */
  readonly keepExisting: boolean;
}
