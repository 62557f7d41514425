// What a stream says at one place: an import as it was at a time, some events for people who want to see what was recorded, and the place of a row.
import { countRejected, requestedRevision, rowsBefore, startedRevision } from "../events/importLayout.js";
import { streamOf } from "../events/streams.js";
import { type EventStore, eventAt, eventsOf, noStream, type StoredEvent } from "../ports/eventStore.js";
import type { ImportStatus } from "./imports/importView.js";

const countableRows = 20_000;

/**
 * Its rows recorded by that time, and the revision of the last event up to it; `rejected` is undefined where there are too many to count for a page.
 * Costs about twenty reads, and the reading of its rows if they are few enough to count. Undefined if the import had not been requested by then.
 * The caller checks whose import it is.
 */
export async function importAsOf(importId: string, asOf: Date, eventStore: EventStore) {
  const stream = streamOf.import(importId);
  const end = (await eventStore.last(stream))?.revision ?? noStream;
  // The events of a stream are in the order of their times.
  const revision = (await firstRevision(eventStore, stream, [noStream, end + 1n], ({ recordedAt }) => recordedAt > asOf)) - 1n;
  const last = revision === noStream ? undefined : await eventAt(eventStore, stream, revision);
  if (!last) return undefined;
  const ended = endings[last.type];
  const rows = rowsBefore(ended ? revision : revision + 1n);
  const status: ImportStatus = ended ?? (revision === requestedRevision ? "queued" : "processing");
  const rejected = rows > countableRows ? undefined : rows === 0 ? 0 : await countRejected(eventStore, importId, { max: rows });
  return { status, rows, rejected, revision };
}

const endings: Readonly<Record<string, ImportStatus>> = {
  ImportCompleted: "completed",
  ImportFailed: "failed",
  ImportCancelled: "cancelled",
};

/** `next`: the revision at which the next page begins. */
export async function streamPage(eventStore: EventStore, stream: string, from: bigint, count: number) {
  const events = await eventsOf(eventStore, stream, { from, max: count + 1 });
  return { events: events.slice(0, count), next: events[count]?.revision ?? null };
}

/** The revision of an import's first event from this row on. Row numbers ascend in the stream. */
export async function revisionOfRow(eventStore: EventStore, stream: string, row: number): Promise<bigint> {
  const last = (await eventStore.last(stream))?.revision ?? startedRevision;
  return firstRevision(eventStore, stream, [startedRevision, last], ({ data }) => {
    const { row: number } = (data ?? {}) as { row?: unknown };
    return typeof number !== "number" || number >= row;
  });
}

/**
 * The first revision between two others for which something holds; the later one if it holds for none between them. It must go on to hold for all
 * later events, so that a binary search finds it, in about twenty reads for a million events.
 */
export async function firstRevision(
  eventStore: EventStore,
  stream: string,
  [after, last]: readonly [after: bigint, last: bigint],
  holds: (event: StoredEvent) => boolean,
): Promise<bigint> {
  let [before, found] = [after, last];
  while (found - before > 1n) {
    const middle = (before + found) / 2n;
    const event = await eventAt(eventStore, stream, middle);
    if (event && !holds(event)) before = middle;
    else found = middle;
  }
  return found;
}
