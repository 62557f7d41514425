// The layout of an import's stream: ImportRequested, ImportStarted, one event per row in row order, and one that ends it. If an import ends
// before it starts, its ending stands in the place of ImportStarted. Only this file knows the revisions.
import { type EventStore, eventAt, type Revision, type StoredEvent } from "../ports/eventStore.js";
import { decodeOn, type RecordedEventOn } from "./codec.js";
import type { RowAccepted } from "./importEvents.js";
import { streamOf } from "./streams.js";

export const requestedRevision: Revision = 0n;
export const startedRevision: Revision = 1n;
export const firstRowRevision: Revision = 2n;

/** How many rows are recorded before the event with this revision. For the event that ends the import, these are all its rows. */
export const rowsBefore = (revision: Revision): number => (revision > firstRowRevision ? Number(revision - firstRowRevision) : 0);

/** A recorded event of an import's stream, of one of these types. */
export type RecordedImportEvent<Type extends RecordedEventOn<"import">["type"] = RecordedEventOn<"import">["type"]> = Extract<
  RecordedEventOn<"import">,
  { type: Type }
>;

const eventReader =
  <Type extends "ImportRequested" | "ImportStarted">(type: Type, revision: Revision) =>
  async (eventStore: Pick<EventStore, "read">, importId: string): Promise<RecordedImportEvent<Type> | undefined> => {
    const stored = await eventAt(eventStore, streamOf.import(importId), revision);
    const event = stored && decodeOn("import", stored);
    return event?.type === type ? (event as RecordedImportEvent<Type>) : undefined;
  };

/** Reads an import's ImportRequested; undefined for an unknown import. */
export const readRequestedEvent = eventReader("ImportRequested", requestedRevision);

/** Reads an import's ImportStarted; undefined for an import that has not started, or that ended without starting. */
export const readStartedEvent = eventReader("ImportStarted", startedRevision);

interface RevisionRange {
  readonly from?: Revision;
  readonly max?: number;
  readonly signal?: AbortSignal;
}

/** Reads the events of the rows, and the ending if there is one. Without a range, reads all of them. */
export const readRowEvents = (eventStore: EventStore, importId: string, range: RevisionRange = {}): AsyncIterable<StoredEvent> =>
  eventStore.read(streamOf.import(importId), { from: firstRowRevision, ...range });

/** Wanted rows whose revisions differ by at most this much are read in one call, with the rows between them. */
const maxGap = 20;

/** Reads the accepted rows at these revisions, which must be ascending. */
export async function readAcceptedRows(
  eventStore: EventStore,
  importId: string,
  revisions: readonly number[],
  signal?: AbortSignal,
): Promise<RowAccepted[]> {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const revision of revisions) {
    const range = ranges.at(-1);
    if (range && revision - range.last <= maxGap) range.last = revision;
    else ranges.push({ first: revision, last: revision });
  }
  const revisionSet = new Set(revisions);
  const reads = ranges.map(async ({ first, last }) => {
    const rows: RowAccepted[] = [];
    for await (const stored of readRowEvents(eventStore, importId, {
      from: BigInt(first),
      max: last - first + 1,
      ...(signal && { signal }),
    })) {
      const event = revisionSet.has(Number(stored.revision)) ? decodeOn("import", stored) : undefined;
      if (event?.type === "RowAccepted") rows.push(event.data);
    }
    return rows;
  });
  return (await Promise.all(reads)).flat();
}

/** Whether a row was accepted. `ordinal`: its number among the import's rows, from 1. The import must be completed and have the row. */
export async function isRowAccepted(eventStore: EventStore, importId: string, ordinal: number): Promise<boolean> {
  const stored = await eventAt(eventStore, streamOf.import(importId), firstRowRevision + BigInt(ordinal - 1));
  return stored?.type === "RowAccepted";
}

export async function countRejectedInStream(eventStore: EventStore, importId: string, range?: RevisionRange): Promise<number> {
  let rejected = 0;
  for await (const { type } of readRowEvents(eventStore, importId, range)) if (type === "RowRejected") rejected += 1;
  return rejected;
}
