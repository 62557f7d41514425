// Reads a part of a stream: an import as it was at a time, a page of its events, or the event of a row.
import { countRejectedInStream, requestedRevision, rowsBefore, startedRevision } from "../events/importLayout.js";
import { streamOf } from "../events/streams.js";
import { type EventStore, eventAt, eventsOf, noStream, type StoredEvent } from "../ports/eventStore.js";
import type { ImportStatus } from "./imports/importView.js";

const maxCountedRows = 20_000;

/**
 * An import as it was at a time: its status, the number of its rows, and the revision of its last event. `rejected` is undefined if there
 * are too many rows to count for a page. Costs about twenty reads, and a read of the rows if they are counted. Undefined if the import had
 * not been requested by then. The caller checks to which organisation the import belongs.
 */
export async function importAsOf(importId: string, asOf: Date, eventStore: EventStore) {
  const stream = streamOf.import(importId);
  const end = (await eventStore.last(stream))?.revision ?? noStream;
  // The times of a stream's events ascend.
  const revision = (await findFirstRevision(eventStore, stream, [noStream, end + 1n], ({ recordedAt }) => recordedAt > asOf)) - 1n;
  const last = revision === noStream ? undefined : await eventAt(eventStore, stream, revision);
  if (!last) return undefined;
  const endStatus = statusAtEnd[last.type];
  const rows = rowsBefore(endStatus ? revision : revision + 1n);
  const status: ImportStatus = endStatus ?? (revision === requestedRevision ? "queued" : "processing");
  const rejected = rows > maxCountedRows ? undefined : rows === 0 ? 0 : await countRejectedInStream(eventStore, importId, { max: rows });
  return { status, rows, rejected, revision };
}

const statusAtEnd: Readonly<Record<string, ImportStatus>> = {
  ImportCompleted: "completed",
  ImportFailed: "failed",
  ImportCancelled: "cancelled",
};

/** `next` is the revision at which the next page begins; null on the last page. */
export async function streamPage(eventStore: EventStore, stream: string, from: bigint, count: number) {
  const events = await eventsOf(eventStore, stream, { from, max: count + 1 });
  return { events: events.slice(0, count), next: events[count]?.revision ?? null };
}

/** The revision of the import's first event for this row or a later row, otherwise of its last event. Row numbers ascend in the stream. */
export async function revisionOfRow(eventStore: EventStore, stream: string, row: number): Promise<bigint> {
  const last = (await eventStore.last(stream))?.revision ?? startedRevision;
  return findFirstRevision(eventStore, stream, [startedRevision, last], ({ data }) => {
    const { row: number } = (data ?? {}) as { row?: unknown };
    return typeof number !== "number" || number >= row;
  });
}

/**
 * The first revision between `after` and `last` whose event matches; `last` if none does. All events after a match have to match
 * too: this is a binary search, which takes about twenty reads for a million events.
 */
export async function findFirstRevision(
  eventStore: EventStore,
  stream: string,
  [after, last]: readonly [after: bigint, last: bigint],
  matches: (event: StoredEvent) => boolean,
): Promise<bigint> {
  let [before, found] = [after, last];
  while (found - before > 1n) {
    const middle = (before + found) / 2n;
    const event = await eventAt(eventStore, stream, middle);
    if (event && !matches(event)) before = middle;
    else found = middle;
  }
  return found;
}
