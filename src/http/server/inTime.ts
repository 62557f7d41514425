import { Problem } from "./problem.js";

/** The time for a request that reads, including its authentication. Requests that change something have their own limits, since their outcome must be known. */
export const readPatienceMs = 4_500;

/** Answers 503 when `work` takes longer than `ms`. `what` is for the log. */
export async function inTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // One more turn of the event loop: if this process could not run for a while, the answer may already have arrived.
    timer = setTimeout(() => setImmediate(() => reject(tooLate(what))), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (what: string) =>
  new Problem("unavailable", "The service is busy at the moment, try again shortly", { cause: new Error(`${what} timed out`) });
