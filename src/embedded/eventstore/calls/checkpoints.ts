import { position } from "../protocol/appendReplies.js";
import type { EventFilter } from "../protocol/filters.js";
import { framed } from "../protocol/frames.js";

/** The server's reader gives out a page with so many matching events, before it has searched the whole window. */
const PAGE_EVENTS = 32;

/**
 * A filtered subscriber is told how far the search has come, so that it need not search again from its last match. Counted as on the server:
 * while it catches up after whole pages, and never after the last one, which ends where the log does; live event by event.
 */
export function createCheckpoints({ window, checkpointInterval }: EventFilter) {
  let counted = 0;
  let inPage = 0;
  let matchesInPage = 0;
  let reached = 0;

  return {
    /** Called for each event that is looked at while catching up. Returns the checkpoint to send after it, if any. */
    searched(at: number, matches: boolean): Buffer | undefined {
      if (matches || inPage === 0) reached = at; // a page in which nothing matched says where it began
      inPage += 1;
      if (matches) matchesInPage += 1;
      if (inPage < window && matchesInPage < PAGE_EVENTS) return undefined;
      counted += inPage;
      inPage = 0;
      matchesInPage = 0;
      if (counted < checkpointInterval) return undefined;
      counted %= checkpointInterval;
      return checkpointAt(reached);
    },

    /** An event was committed while live. */
    seen(at: number): Buffer | undefined {
      counted += inPage + 1;
      inPage = 0;
      if (counted < checkpointInterval) return undefined;
      counted = 0;
      return checkpointAt(at);
    },
  };
}

const checkpointAt = (reached: number): Buffer => framed([[3, position(reached)]]);
