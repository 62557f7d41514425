// An import as it was at a time, from its stream. Costs about twenty reads, and the reading of its rows where they are few enough to count.
import { countRejected, requestedRevision, rowsBefore, startedRevision } from "../events/importLayout.js";
import { streamOf } from "../events/streams.js";
import { type EventStore, eventAt, type StoredEvent } from "../ports/eventStore.js";
import type { ImportStatus } from "./imports/importView.js";

export interface ImportAsOf {
  readonly status: ImportStatus;
  /** Rows recorded by that time. */
  readonly rows: number;
  /** Undefined where there are too many to count for a page. */
  readonly rejected: number | undefined;
  /** The last event up to that time. */
  readonly revision: bigint;
}

const countableRows = 20_000;

/** Undefined if the import had not been requested by then. The caller checks whose import it is. */
export async function importAsOf(importId: string, asOf: Date, eventStore: EventStore): Promise<ImportAsOf | undefined> {
  const stream = streamOf.import(importId);
  const revision = await lastRevisionAt(eventStore, stream, asOf);
  const last = revision === undefined ? undefined : await eventAt(eventStore, stream, revision);
  if (revision === undefined || !last) return undefined;
  const ended = endings[last.type];
  const rows = rowsBefore(ended ? revision : revision + 1n);
  const status = ended ?? (revision === requestedRevision ? "queued" : "processing");
  const rejected = rows > countableRows ? undefined : rows === 0 ? 0 : await countRejected(eventStore, importId, { max: rows });
  return { status, rows, rejected, revision };
}

const endings: Readonly<Record<string, ImportStatus>> = {
  ImportCompleted: "completed",
  ImportFailed: "failed",
  ImportCancelled: "cancelled",
};

/** A binary search: the events of a stream are in the order of their times. */
async function lastRevisionAt(eventStore: EventStore, stream: string, asOf: Date): Promise<bigint | undefined> {
  let [found, after] = [-1n, ((await eventStore.last(stream))?.revision ?? -1n) + 1n];
  while (after - found > 1n) {
    const middle = (found + after) / 2n;
    const event = await eventAt(eventStore, stream, middle);
    if (event && event.recordedAt <= asOf) found = middle;
    else after = middle;
  }
  return found < 0n ? undefined : found;
}

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
