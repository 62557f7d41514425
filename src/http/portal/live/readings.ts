// One reading for all open pages of a kind, again and again while there is one.
import type { Logger } from "pino";

const nudgeMs = 50;
/** While the database does not answer. */
const backOffMs = 5_000;

interface Readings {
  readonly read: () => Promise<void>;
  readonly everyMs: number;
  /** Whether a page is open. */
  readonly isWanted: () => boolean;
  readonly logger: Logger;
}

/** Returns what makes the next reading start at once. */
export function keepReading({ read, everyMs, isWanted, logger }: Readings): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isNudged = false;
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => void run(), ms).unref();
  };
  const run = async () => {
    isReading = true;
    isNudged = false;
    let next = everyMs;
    try {
      if (isWanted()) await read();
    } catch (error) {
      logger.debug({ err: error }, "open pages could not be told what has changed");
      next = backOffMs;
    }
    isReading = false;
    timer = undefined;
    if (isWanted()) schedule(isNudged ? nudgeMs : next);
  };
  return () => {
    isNudged = true;
    if (isReading) return;
    clearTimeout(timer);
    timer = undefined;
    schedule(nudgeMs);
  };
}
