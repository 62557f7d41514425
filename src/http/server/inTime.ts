import { withTimeLimit } from "../../timeLimit.js";
import { Problem } from "./problem.js";

/** The time for a request that reads, including its authentication. Requests that change something have their own limits, since their outcome must be known. */
export const readPatienceMs = 4_500;

/** Answers 503 when `work` takes longer than `ms`. `what` is for the log. */
export function inTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  return withTimeLimit(ms, work, () => {
    throw tooLate(what);
  });
}

const tooLate = (what: string) =>
  new Problem("unavailable", "The service is busy at the moment, try again shortly", { cause: new Error(`${what} timed out`) });
