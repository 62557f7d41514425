import type { Pool } from "pg";
import type { Reads } from "../../ports/reads.js";
import { withTimeLimit } from "../../timeLimit.js";
import { Problem } from "./problem.js";

/** The time for a request that reads, including its authentication. Requests that change something have their own limits, since their outcome must be known. */
export const readPatienceMs = 4_500;

/** Answers 503 when `work` takes longer than `ms`. `what` is for the log. */
export const answerInTime = <T>(work: Promise<T>, ms: number, what: string): Promise<T> =>
  withTimeLimit(ms, work, () => {
    throw tooLate(what);
  });

const tooLate = (what: string) =>
  new Problem("unavailable", "The service is busy at the moment, try again shortly", { cause: new Error(`${what} timed out`) });

export interface ReadingRequest {
  readonly organisationId: string;
  /** Aborts when the client leaves before its answer is complete. */
  readonly clientLeft: AbortSignal;
  readonly ms: number;
  /** For the log. */
  readonly what: string;
}

/** Runs `read` with a pool whose statements are cancelled when the client leaves or the time is up, which is answered 503. */
export function readInTime<Deps extends { readonly pool: Pool; readonly reads: Reads }, T>(
  deps: Deps,
  { organisationId, clientLeft, ms, what }: ReadingRequest,
  read: (deps: Deps) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  onClientLeft(clientLeft, (reason) => ended.abort(reason));
  const pool = deps.reads(deps.pool, { organisationId, signal: ended.signal });
  return withTimeLimit(ms, read({ ...deps, pool }), () => {
    const late = tooLate(what);
    ended.abort(late);
    throw late;
  });
}

/** Calls `end` when the client leaves, also when it has left already. */
export function onClientLeft(clientLeft: AbortSignal, end: (reason: Problem) => void): void {
  const leave = () => end(new Problem("left", "The client has left"));
  if (clientLeft.aborted) leave();
  else clientLeft.addEventListener("abort", leave, { once: true });
}
