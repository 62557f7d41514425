// Some events of one stream, for people who want to see what was recorded. The caller checks who may see them.
import { startedRevision } from "../events/importLayout.js";
import { type EventStore, eventAt, type StoredEvent } from "../ports/eventStore.js";

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
  let [before, found] = [startedRevision, (await eventStore.last(stream))?.revision ?? startedRevision];
  while (found - before > 1n) {
    const middle = (before + found) / 2n;
    const event = await eventAt(eventStore, stream, middle);
    const { row: number } = (event?.data ?? {}) as { row?: unknown };
    if (typeof number === "number" && number < row) before = middle;
    else found = middle;
  }
  return found;
}
