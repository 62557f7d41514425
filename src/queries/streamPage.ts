// Some events of one stream, for people who want to see what was recorded. The caller checks who may see them.
import type { EventStore, StoredEvent } from "../ports/eventStore.js";

export interface StreamPage {
  readonly events: readonly StoredEvent[];
  /** The revision at which the next page begins. */
  readonly next: bigint | null;
}

export async function streamPage(eventStore: EventStore, stream: string, from: bigint, count: number): Promise<StreamPage> {
  const events: StoredEvent[] = [];
  for await (const event of eventStore.read(stream, { from, max: count + 1 })) events.push(event);
  return { events: events.slice(0, count), next: events[count]?.revision ?? null };
}

/** The revision of an import's first event from this row on. Row numbers ascend in the stream, so a binary search finds it in about twenty reads. */
export async function revisionOfRow(eventStore: EventStore, stream: string, row: number): Promise<bigint> {
  let [before, found] = [1n, (await eventStore.last(stream))?.revision ?? 1n]; // the first two events are no rows
  while (found - before > 1n) {
    const middle = (before + found) / 2n;
    const [event] = (await streamPage(eventStore, stream, middle, 1)).events;
    const { row: number } = (event?.data ?? {}) as { row?: unknown };
    if (typeof number === "number" && number < row) before = middle;
    else found = middle;
  }
  return found;
}
