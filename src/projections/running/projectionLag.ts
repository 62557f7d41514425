import { isAfter } from "../../ports/eventStore.js";
import { projectedPrefixes } from "../allProjections.js";
import type { ProjectionDeps } from "../projection.js";
import { earliest, readAllCheckpoints, startAfter } from "./checkpoints.js";
import { createLogGuard } from "./logGuard.js";

const mostCounted = 1_000_000;

/**
 * How far each projection is behind the event log. `position` is undefined before the first event. `events` are those recorded after it, counted up to
 * `mostCounted`, and `seconds` is the age of the oldest of them.
 */
export async function projectionLags({ pool, eventStore, signal }: Omit<ProjectionDeps, "logger">) {
  const checkpoints = await readAllCheckpoints(pool);
  await createLogGuard({ eventStore, pool })(checkpoints);
  const waiting = new Map<string, { events: number; oldest: number }>();
  const enough = new AbortController();
  let counted = 0;
  const from = startAfter(earliest([...checkpoints.values()]));
  const replayed = eventStore.replay(
    { prefixes: projectedPrefixes, from, signal: AbortSignal.any([signal, enough.signal]) },
    async ({ events }) => {
      for (const event of events) {
        for (const [name, position] of checkpoints) {
          if (!isAfter(event.position, position)) continue;
          const known = waiting.get(name);
          if (known) known.events += 1;
          else waiting.set(name, { events: 1, oldest: event.recordedAt.getTime() });
        }
      }
      counted += events.length;
      if (counted >= mostCounted) enough.abort();
    },
  );
  await replayed.catch((error: unknown) => {
    if (!enough.signal.aborted) throw error;
  });
  const now = Date.now();
  return [...checkpoints].map(([projection, position]) => {
    const { events = 0, oldest = now } = waiting.get(projection) ?? {};
    return { projection, position: startAfter(position), events, seconds: Math.max(0, Math.round((now - oldest) / 1000)) };
  });
}
