import type { Pool } from "pg";
import type { PoolForReads } from "../../ports/reads.js";
import { withTimeLimit } from "../../timeLimit.js";
import { Problem } from "./problem.js";

/** The time limit of a request that only reads, including its authentication. Writes have other limits: their outcome must be known. */
export const maxReadMs = 4_500;

/** Throws a 503 when `work` takes longer than `maxMs`. `operation` names it in the log. */
export const answerInTime = <T>(work: Promise<T>, maxMs: number, operation: string): Promise<T> =>
  withTimeLimit(maxMs, work, () => {
    throw timedOut(operation);
  });

const timedOut = (operation: string) =>
  new Problem("unavailable", "The service is busy at the moment, try again shortly", { cause: new Error(`${operation} timed out`) });

export interface ReadInTimeOptions {
  readonly organisationId: string;
  /** Aborts when the client leaves before its answer is complete. */
  readonly clientLeft: AbortSignal;
  readonly maxMs: number;
  /** The request's name in the log. */
  readonly operation: string;
}

/** Runs `read` with a pool whose statements are cancelled when the client leaves or the time is up. Throws a 503 if the time is up. */
export function readInTime<Deps extends { readonly pool: Pool; readonly poolForReads: PoolForReads }, T>(
  deps: Deps,
  { organisationId, clientLeft, maxMs, operation }: ReadInTimeOptions,
  read: (deps: Deps) => Promise<T>,
): Promise<T> {
  const cancellation = new AbortController();
  onClientLeft(clientLeft, (reason) => cancellation.abort(reason));
  const pool = deps.poolForReads(deps.pool, { organisationId, signal: cancellation.signal });
  return withTimeLimit(maxMs, read({ ...deps, pool }), () => {
    const timeout = timedOut(operation);
    cancellation.abort(timeout);
    throw timeout;
  });
}

/** Calls `handle` when the client leaves, or immediately if the client has already left. */
export function onClientLeft(clientLeft: AbortSignal, handle: (reason: Problem) => void): void {
  const leave = () => handle(new Problem("left", "The client has left"));
  if (clientLeft.aborted) leave();
  else clientLeft.addEventListener("abort", leave, { once: true });
}
