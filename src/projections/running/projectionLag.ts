import { isAfter } from "../../ports/eventStore.js";
import { projectedPrefixes } from "../allProjections.js";
import type { ProjectionDeps } from "../projection.js";
import { earliestPosition, readAllCheckpoints, startAfter } from "./checkpoints.js";
import { createLogGuard } from "./logGuard.js";

const maxCountedEvents = 1_000_000;

/**
 * How far each projection is behind the event log. `position` is undefined if no event was applied yet. `events` is the number of
 * events after `position`, counted up to about `maxCountedEvents`, and `seconds` is the age of the oldest of these.
 */
export async function projectionLags({ pool, eventStore, signal }: Omit<ProjectionDeps, "logger">) {
  const checkpoints = await readAllCheckpoints(pool);
  await createLogGuard({ eventStore, pool })(checkpoints);
  const unapplied = new Map<string, { events: number; oldest: number }>();
  const limitReached = new AbortController();
  let counted = 0;
  const from = startAfter(earliestPosition([...checkpoints.values()]));
  const replay = eventStore.replay(
    { prefixes: projectedPrefixes, from, signal: AbortSignal.any([signal, limitReached.signal]) },
    async ({ events }) => {
      for (const event of events) {
        for (const [name, position] of checkpoints) {
          if (!isAfter(event.position, position)) continue;
          const lag = unapplied.get(name);
          if (lag) lag.events += 1;
          else unapplied.set(name, { events: 1, oldest: event.recordedAt.getTime() });
        }
      }
      counted += events.length;
      if (counted >= maxCountedEvents) limitReached.abort();
    },
  );
  await replay.catch((error: unknown) => {
    if (!limitReached.signal.aborted) throw error;
  });
  const now = Date.now();
  return [...checkpoints].map(([projection, position]) => {
    const { events = 0, oldest = now } = unapplied.get(projection) ?? {};
    return { projection, position: startAfter(position), events, seconds: Math.max(0, Math.round((now - oldest) / 1000)) };
  });
}
