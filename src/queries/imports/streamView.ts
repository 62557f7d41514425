// An import's status from its stream, for the time while the projection is behind.
import { progressOf, readingShare } from "../../domain/imports/progress.js";
import { decodeOn } from "../../events/codec.js";
import type { ImportKind } from "../../events/importEvents.js";
import { countRejected, requestedEvent, requestedRevision, rowsBefore, startedEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore, StoredEvent } from "../../ports/eventStore.js";
import { recentValues } from "../../recentValues.js";
import type { ImportView } from "./importView.js";

/** Where the view begins: the table's row, or only ImportRequested. */
export interface Base {
  readonly view: ImportView;
  /** Commit position of ImportRequested. */
  readonly position: bigint;
  /** Revision of the stream that the view includes. */
  readonly revision: bigint;
  /** Rows rejected up to `revision`. The view of a running fulfilment import does not show them. */
  readonly rejected: number;
}

export interface StreamView {
  readonly view: ImportView;
  /** Set when the ending comes from the stream: rows in this range of revisions may be missing from the tables. */
  readonly unprojected: Unprojected | undefined;
}

export interface Unprojected {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Counting this many rows takes about 0.4 s. For more, waiting for the projection is faster. */
const countableRows = 20_000n;

type Counts = ImportView["counts"];

/** A cache of the counts of failed and cancelled imports that are not projected yet. Their counts do not change, and callers poll them. */
const finalCounts = recentValues<Counts>(1_000);

/** Undefined for an unknown import, another organisation's, or one of another kind. */
export async function requestedBase(
  organisationId: string,
  { importId, kind }: { readonly importId: string; readonly kind: ImportKind | undefined },
  eventStore: EventStore,
): Promise<Base | undefined> {
  const requested = await requestedEvent(eventStore, importId);
  if (requested?.data.organisationId !== organisationId || (kind !== undefined && requested.data.kind !== kind)) return undefined;
  const { source, sourceDetails, at, corrects, sameFileAs } = requested.data;
  const view: ImportView = {
    importId,
    kind: requested.data.kind,
    source,
    sourceDetails,
    reference: sourceDetails,
    submittedAt: new Date(at),
    reversed: null,
    correctionOf: corrects ?? null,
    sameFileAs: sameFileAs ?? null,
    unusual: null,
    startedAt: null,
    finishedAt: null,
    errorMessage: null,
    reportKey: null,
    notes: [],
    cancelling: false,
    status: "queued",
    progress: 0,
    counts: { received: 0, processed: 0, failed: 0 },
  };
  return { view, position: requested.position.commit, revision: requestedRevision, rejected: 0 };
}

/**
 * Never shows `completed`: the projection changes the ledgers and the status together. A cancelled or failed import changes no ledger, so its
 * ending and its final counts are shown as soon as they are recorded.
 */
export async function withStream(base: Base, eventStore: EventStore): Promise<StreamView> {
  const { view } = base;
  const stored = await eventStore.last(streamOf.import(view.importId));
  const last = stored && decodeOn("import", stored);
  if (!last || last.revision === requestedRevision) return { view, unprojected: undefined };
  const started = view.startedAt ? undefined : await startedEvent(eventStore, view.importId);
  const begun: ImportView = { ...view, status: "processing", startedAt: started ? new Date(started.data.at) : view.startedAt };
  if (last.type === "ImportCompleted") {
    const progress = progressOf(view.counts.received, last.data.counts.received);
    return { view: { ...begun, progress: Math.max(view.progress, progress) }, unprojected: undefined };
  }
  if (last.type !== "ImportFailed" && last.type !== "ImportCancelled") return { view: begun, unprojected: undefined };
  const progress = Math.max(view.progress, Math.min(99, Math.floor(last.data.progress)));
  const counts = await finalCountsOf(base, last, eventStore);
  // Too many rows to count: that it was cancelled is shown all the same.
  if (!counts) {
    const soFar = Math.min(progress, progressBeside(view.counts.received, rowsBefore(last.revision), last.data.progress));
    return { view: { ...begun, progress: soFar, cancelling: last.type === "ImportCancelled" }, unprojected: undefined };
  }
  const ended: ImportView = {
    ...begun,
    status: last.type === "ImportFailed" ? "failed" : "cancelled",
    cancelling: false,
    progress,
    counts,
    finishedAt: new Date(last.data.at),
    errorMessage: last.type === "ImportFailed" ? last.data.reason : null,
  };
  return { view: ended, unprojected: { after: base.revision, upTo: last.revision } };
}

/** The progress when the tables had `received` of the rows that were recorded when it was `reached`. Never below what was shown then. */
const progressBeside = (received: number, recorded: number, reached: number): number =>
  Math.floor(readingShare + ((Math.floor(reached) + 1 - readingShare) * received) / Math.max(1, recorded));

/** Whether the import's ending is shown before it is projected. */
export async function isShownAsEnded(importId: string, revision: bigint, eventStore: EventStore): Promise<boolean> {
  const last = await eventStore.last(streamOf.import(importId));
  if (last?.type !== "ImportFailed" && last?.type !== "ImportCancelled") return false;
  return finalCounts.get(importId) !== undefined || last.revision - revision <= countableRows;
}

/** Nothing was written to the ledgers, so `processed` is 0. Undefined when there are too many rows to count. */
async function finalCountsOf(
  { view, revision, rejected }: Base,
  last: Pick<StoredEvent, "revision">,
  eventStore: EventStore,
): Promise<Counts | undefined> {
  const known = finalCounts.get(view.importId);
  if (known || last.revision - revision > countableRows) return known;
  const newlyRejected = await countRejected(eventStore, view.importId, { from: revision + 1n, max: Number(countableRows) });
  const counts = { received: rowsBefore(last.revision), processed: 0, failed: rejected + newlyRejected };
  finalCounts.set(view.importId, counts);
  return counts;
}
