// src/projections turns events into the rows that queries read: models has one file per projection, tables the table definitions, running
// the projector, rebuild the command that builds the tables anew. A projection takes a batch and a transaction, writes set-based SQL
// and calls no other store; applyBatch.ts commits its rows and its checkpoint together. Table names are unqualified, since a rebuild
// runs the same code with the search path on a shadow schema.
import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { EventStore } from "../ports/eventStore.js";
import type { SkipEvent, SortedBatch } from "./sortedBatch.js";

export interface Projection {
  readonly name: string;
  /** Only this projection writes these tables, and a rebuild replaces all of them together. */
  readonly tables: readonly string[];
  /**
   * Raised when tables that an earlier version filled lack something that only the event log has. The projector then builds them anew beside the
   * live ones. 1 if absent.
   */
  readonly shape?: number;
  /** SQL for the imports whose rows commands have written before the projector came to the events. A rebuild writes them from their streams. */
  readonly ahead?: string;
  /** SQL for the rows that are compared: not those that are about to be deleted, or that commands have written ahead. All if absent. */
  readonly compared?: string;
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
  /** Set for the second attempt, after an insert met an existing row: the existing row stays. */
  readonly keepExisting: boolean;
}
