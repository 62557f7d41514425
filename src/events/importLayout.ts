// The layout of an import's stream: ImportRequested, ImportStarted, one event per row in row order, and one that ends it. An import that ends
// before it starts has its end in the place of ImportStarted. Only this file knows the revisions.
import { type EventStore, eventAt, type Revision, type StoredEvent } from "../ports/eventStore.js";
import { decodeOn, type RecordedOn } from "./codec.js";
import type { RowAccepted } from "./importEvents.js";
import { streamOf } from "./streams.js";

export const requestedRevision: Revision = 0n;
export const startedRevision: Revision = 1n;
export const firstRowRevision: Revision = 2n;

/** The rows that are recorded before the event with this revision: all of the import's rows, for the event that ends it. */
export const rowsBefore = (revision: Revision): number => (revision > firstRowRevision ? Number(revision - firstRowRevision) : 0);

/** A recorded event of an import's stream, of one of these types. */
export type ImportEvent<Type extends RecordedOn<"import">["type"] = RecordedOn<"import">["type"]> = Extract<
  RecordedOn<"import">,
  { type: Type }
>;

const eventOf =
  <Type extends "ImportRequested" | "ImportStarted">(type: Type, revision: Revision) =>
  async (eventStore: Pick<EventStore, "read">, importId: string): Promise<ImportEvent<Type> | undefined> => {
    const stored = await eventAt(eventStore, streamOf.import(importId), revision);
    const event = stored && decodeOn("import", stored);
    return event?.type === type ? (event as ImportEvent<Type>) : undefined;
  };

/** Undefined for an unknown import. */
export const requestedEvent = eventOf("ImportRequested", requestedRevision);

/** Undefined for an import that has not started, or ended before it did. */
export const startedEvent = eventOf("ImportStarted", startedRevision);

interface RowRange {
  readonly from?: Revision;
  readonly max?: number;
  readonly signal?: AbortSignal;
}

/** The events of the rows, and the end if there is one; without a range all of them. */
export const readRowEvents = (eventStore: EventStore, importId: string, range: RowRange = {}): AsyncIterable<StoredEvent> =>
  eventStore.read(streamOf.import(importId), { from: firstRowRevision, ...range });

/** Rows whose revisions differ by at most this much are read in one call. */
const near = 20;

/** The accepted rows at these revisions, which are ascending. */
export async function acceptedRowsAt(
  eventStore: EventStore,
  importId: string,
  revisions: readonly number[],
  signal?: AbortSignal,
): Promise<RowAccepted[]> {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const revision of revisions) {
    const open = ranges.at(-1);
    if (open && revision - open.last <= near) open.last = revision;
    else ranges.push({ first: revision, last: revision });
  }
  const wanted = new Set(revisions);
  const read = ranges.map(async ({ first, last }) => {
    const rows: RowAccepted[] = [];
    for await (const stored of readRowEvents(eventStore, importId, {
      from: BigInt(first),
      max: last - first + 1,
      ...(signal && { signal }),
    })) {
      const event = wanted.has(Number(stored.revision)) ? decodeOn("import", stored) : undefined;
      if (event?.type === "RowAccepted") rows.push(event.data);
    }
    return rows;
  });
  return (await Promise.all(read)).flat();
}

/** Whether this row was accepted. `ordinal`: its number among the import's rows, from 1. Only of a completed import, and of a row that it has. */
export async function isAccepted(eventStore: EventStore, importId: string, ordinal: number): Promise<boolean> {
  const stored = await eventAt(eventStore, streamOf.import(importId), firstRowRevision + BigInt(ordinal - 1));
  return stored?.type === "RowAccepted";
}

export async function countRejected(eventStore: EventStore, importId: string, range?: RowRange): Promise<number> {
  let rejected = 0;
  for await (const { type } of readRowEvents(eventStore, importId, range)) if (type === "RowRejected") rejected += 1;
  return rejected;
}
