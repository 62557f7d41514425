import { streamPrefix } from "../events/streams.js";
import type { Database } from "../ports/database.js";
import { type EventStore, isAfter, logStart, type Position } from "../ports/eventStore.js";
import { waitUntilProjected } from "./lookUps/waitUntilProjected.js";

interface WaitStores {
  readonly pool: Database;
  readonly eventStore: Pick<EventStore, "replay">;
}

const maxWaitMs = 3_000;

/**
 * Waits until the tables have every completed import and every reversal up to a time. What is read as of that time then stays the same:
 * an event that is recorded later has a later time (`timedByLog` of events/codec.ts).
 */
export async function waitUntilTablesKnow(time: Date, stores: WaitStores): Promise<void> {
  const checkTables = async () => ((await hasUnprojectedEvent(time, stores)) ? undefined : true);
  await waitUntilProjected(checkTables, "The ledgers are behind, try again shortly", maxWaitMs);
}

/** Whether an import's completion or a reversal from before that time is recorded but not yet in the tables. */
async function hasUnprojectedEvent(time: Date, { pool, eventStore }: WaitStores): Promise<boolean> {
  const checkpoint = await earliestCheckpoint(pool);
  const eventFound = new AbortController();
  let isFound = false;
  await eventStore
    .replay(
      {
        prefixes: [streamPrefix.import, streamPrefix.reversals],
        from: isAfter(checkpoint, logStart) ? checkpoint : undefined,
        signal: eventFound.signal,
      },
      async ({ events }) => {
        isFound = events.some(({ type, recordedAt }) => (type === "ImportCompleted" || type === "RowsReversed") && recordedAt < time);
        if (isFound) eventFound.abort();
      },
    )
    .catch((error: unknown) => {
      if (!isFound) throw error;
    });
  return isFound;
}

async function earliestCheckpoint(pool: WaitStores["pool"]): Promise<Position> {
  const { rows } = await pool.query<{ commit: string; prepare: string }>(
    `select commit, prepare from checkpoints where projection in ('imports', 'activities', 'reversals', 'shipments', 'versions')
      order by commit, prepare limit 1`,
  );
  const [first] = rows;
  return first ? { commit: BigInt(first.commit), prepare: BigInt(first.prepare) } : logStart;
}
