import { position } from "../protocol/appendReplies.js";
import type { EventFilter } from "../protocol/filters.js";
import { framed } from "../protocol/frames.js";

/** EventStoreDB ends a page after this many matching events, even if it has not searched the whole window. */
const PAGE_EVENTS = 32;

/**
 * Checkpoints tell a filtered subscriber how far the search has come, so that after a reconnect it need not search again from its last match.
 * They are counted as on EventStoreDB. While the subscriber catches up, they are counted after whole pages, and never after the last page,
 * which ends at the end of the log. Once the subscriber is live, they are counted after each event.
 */
export function createCheckpoints({ window, checkpointInterval }: EventFilter) {
  let counted = 0;
  let inPage = 0;
  let matchesInPage = 0;
  let reached = 0;

  return {
    /** Called for each event that is looked at while catching up. Returns the checkpoint to send after it, if any. */
    searched(at: number, matches: boolean): Buffer | undefined {
      if (matches || inPage === 0) reached = at; // the checkpoint of a page without a match is at the page's first event
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
