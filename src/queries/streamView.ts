// An import as its stream tells it, for readers that are ahead of the projection.
import { decodeOn } from "../events/codec.js";
import type { ImportKind } from "../events/importEvents.js";
import { streamOf } from "../events/streams.js";
import type { EventStore, StoredEvent } from "../ports.js";
import type { ImportView } from "./importView.js";

/** What a reader begins with: the table's row, or the request alone. */
export interface Base {
  readonly view: ImportView;
  /** Commit position of ImportRequested. */
  readonly position: bigint;
  /** Revision of the stream that the view includes. */
  readonly revision: bigint;
  /** Rows rejected up to then; the view of a running fulfilment import hides them. */
  readonly rejected: number;
}

export interface StreamView {
  readonly view: ImportView;
  /** Set where the end is told from the stream: rows after this revision, up to that one, may be missing from the tables. */
  readonly unprojected: Unprojected | undefined;
}

export interface Unprojected {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** Counting more rows than this, some 0.4 s, would take longer than waiting for the projection. */
const countableRows = 20_000n;

type Counts = ImportView["counts"];

/** Of imports that ended before their rows were projected, the latest: their counts are final, and are asked for again and again. */
const settled = new Map<string, Counts>();
const mostSettled = 1_000;

/** Undefined also for another organisation's import, and for one of another kind than asked for. */
export async function requestedBase(
  organisationId: string,
  { importId, kind }: { readonly importId: string; readonly kind: ImportKind | undefined },
  eventStore: EventStore,
): Promise<Base | undefined> {
  for await (const event of eventStore.read(streamOf.import(importId), { max: 1 })) {
    const decoded = decodeOn("import", event);
    if (decoded?.type !== "ImportRequested") return undefined;
    const { source, sourceDetails, at, ...request } = decoded.data;
    if (request.organisationId !== organisationId || (kind !== undefined && request.kind !== kind)) return undefined;
    const named = { importId, kind: request.kind, source, sourceDetails, submittedAt: new Date(at) };
    const none = { startedAt: null, finishedAt: null, errorMessage: null, reportKey: null };
    const correctionOf = request.corrects ?? null;
    const view: ImportView = {
      ...named,
      ...none,
      correctionOf,
      status: "queued",
      progress: 0,
      counts: { received: 0, processed: 0, failed: 0 },
    };
    return { view, position: event.position.commit, revision: 0n, rejected: 0 };
  }
  return undefined;
}

/**
 * `completed` is never told from here: the ledgers change with the projection, and the status with them. Nothing of a cancelled or failed
 * import reaches the ledgers, so that its end is told as soon as it is recorded, with its counts, which do not change after it.
 */
export async function withStream(base: Base, eventStore: EventStore): Promise<StreamView> {
  const { view } = base;
  const stream = streamOf.import(view.importId);
  const stored = await eventStore.last(stream);
  const last = stored && decodeOn("import", stored);
  if (!last || last.revision === 0n) return { view, unprojected: undefined };
  const begun: ImportView = { ...view, status: "processing", startedAt: view.startedAt ?? (await startedAt(stream, eventStore)) };
  if (last.type === "ImportCompleted") return { view: { ...begun, progress: 99 }, unprojected: undefined };
  if (last.type !== "ImportFailed" && last.type !== "ImportCancelled") return { view: begun, unprojected: undefined };
  const progress = Math.max(view.progress, Math.min(99, Math.floor(last.data.progress)));
  const counts = await settledCounts(base, last, eventStore);
  if (!counts) return { view: { ...begun, progress }, unprojected: undefined };
  const ended: ImportView = {
    ...begun,
    status: last.type === "ImportFailed" ? "failed" : "cancelled",
    progress,
    counts,
    finishedAt: new Date(last.data.at),
    errorMessage: last.type === "ImportFailed" ? last.data.reason : null,
  };
  return { view: ended, unprojected: { after: base.revision, upTo: last.revision } };
}

/** Whether readers are told of the import's end before it is projected. */
export async function isToldAsEnded(importId: string, revision: bigint, eventStore: EventStore): Promise<boolean> {
  const last = await eventStore.last(streamOf.import(importId));
  if (last?.type !== "ImportFailed" && last?.type !== "ImportCancelled") return false;
  return settled.has(importId) || last.revision - revision <= countableRows;
}

async function startedAt(stream: string, eventStore: EventStore): Promise<Date | null> {
  for await (const event of eventStore.read(stream, { from: 1n, max: 1 })) {
    const started = decodeOn("import", event);
    return started?.type === "ImportStarted" ? new Date(started.data.at) : null;
  }
  return null;
}

/** Nothing was written; what was read and rejected until then counts. Undefined where too much is left to count. */
async function settledCounts(
  { view, revision, rejected }: Base,
  last: Pick<StoredEvent, "stream" | "revision">,
  eventStore: EventStore,
): Promise<Counts | undefined> {
  const known = settled.get(view.importId);
  if (known || last.revision - revision > countableRows) return known;
  let failed = rejected;
  for await (const { type } of eventStore.read(last.stream, { from: revision + 1n, max: Number(countableRows) })) {
    if (type === "RowRejected") failed += 1;
  }
  const counts = { received: Math.max(0, Number(last.revision) - 2), processed: 0, failed };
  settled.set(view.importId, counts);
  for (const oldest of settled.keys()) if (settled.size > mostSettled) settled.delete(oldest);
  return counts;
}
