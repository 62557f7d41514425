import { streamPrefix } from "../events/streams.js";
import type { Database } from "../ports/database.js";
import { beginning, type EventStore, isAfter, type Position } from "../ports/eventStore.js";
import { waitUntilProjected } from "./lookUps/waitUntilProjected.js";

interface Stores {
  readonly pool: Database;
  readonly eventStore: Pick<EventStore, "replay">;
}

const withinMs = 3_000;

/**
 * Waits until the tables have every completed import and every reversal up to a time. What is then read as of that time stays the same:
 * an event that is recorded later has a later time (`timedByLog` of events/codec.ts).
 */
export async function waitUntilTablesKnow(time: Date, stores: Stores): Promise<void> {
  const look = async () => ((await isWaiting(time, stores)) ? undefined : true);
  await waitUntilProjected(look, "The ledgers are behind, try again shortly", withinMs);
}

/** Whether an event of that time or an earlier one is recorded and not in the tables yet. */
async function isWaiting(time: Date, { pool, eventStore }: Stores): Promise<boolean> {
  const reached = await tablesReach(pool);
  const found = new AbortController();
  let waiting = false;
  await eventStore
    .replay(
      {
        prefixes: [streamPrefix.import, streamPrefix.reversals],
        from: isAfter(reached, beginning) ? reached : undefined,
        signal: found.signal,
      },
      async ({ events }) => {
        waiting = events.some(({ type, recordedAt }) => (type === "ImportCompleted" || type === "RowsReversed") && recordedAt < time);
        if (waiting) found.abort();
      },
    )
    .catch((error: unknown) => {
      if (!waiting) throw error;
    });
  return waiting;
}

async function tablesReach(pool: Stores["pool"]): Promise<Position> {
  const { rows } = await pool.query<{ commit: string; prepare: string }>(
    `select commit, prepare from checkpoints where projection in ('imports', 'activities', 'reversals', 'shipments', 'versions')
      order by commit, prepare limit 1`,
  );
  const [first] = rows;
  return first ? { commit: BigInt(first.commit), prepare: BigInt(first.prepare) } : beginning;
}
