import type { Pool } from "pg";

export interface Reader {
  readonly organisationId: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The pool as one request reads through it: so many statements of an organisation run at once, and those of a request that has ended are cancelled. */
export type Reads = (pool: Pool, reader: Reader) => Pool;
