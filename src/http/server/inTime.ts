import { Problem } from "./problem.js";

/** For a read, with finding out who asks. Whatever changes something has its own patience, since its outcome must be known. */
export const readPatienceMs = 4_500;

/** What a caller hears when a store does not answer in time; `what` is for the log. */
export async function inTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // One more turn: where the machine did not let us run, the answer may lie there already.
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
