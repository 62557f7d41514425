import type { Pool } from "pg";

export interface ReadingRequest {
  readonly organisationId: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Wraps the pool for one request. Limits an organisation's concurrent statements, and cancels those of a request that has ended. */
export type PoolForReads = (pool: Pool, request: ReadingRequest) => Pool;
