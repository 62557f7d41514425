// An import's status: from the table, and where the table is behind what the caller may already know, from the stream.
import type { Pool } from "pg";
import { decodeOn } from "../events/codec.js";
import type { ImportKind } from "../events/importEvents.js";
import { streamOf } from "../events/streams.js";
import { StoreUnavailable } from "../portErrors.js";
import type { EventStore, StoredEvent } from "../ports.js";
import { findImportRow, type ImportRow, type ImportView, isFinished, viewOf } from "./importView.js";

interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface ImportName {
  readonly kind: ImportKind;
  readonly importId: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Counting more rows than this, some 0.4 s, would take longer than waiting for the projection. */
const countableRows = 20_000n;

type Counts = ImportView["counts"];

/** Of imports that ended before their rows were projected, the latest: their counts are final, and are asked for again and again. */
const settled = new Map<string, Counts>();
const mostSettled = 1_000;

export async function importStatus(organisationId: string, name: ImportName, sources: Sources): Promise<ImportView | undefined> {
  if (!uuid.test(name.importId)) return undefined;
  const row = await findImportRow(organisationId, name, sources.pool);
  if (row && !mayBeBehind(row)) return viewOf(row);
  const stream = streamOf.import(name.importId);
  if (!row) {
    const base = await requestedView(organisationId, name, stream, sources.eventStore);
    return base && withStream(base, stream, sources.eventStore);
  }
  const view = viewOf(row);
  return withStream({ view, revision: row.revision, rejected: row.failed }, stream, sources.eventStore).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return view; // what the table knows is old, but true
    throw error;
  });
}

/** Its place in the queue is gone, a cancellation was asked for, or a worker has begun: the stream may know more than the table. */
function mayBeBehind({ status, queueProgress, cancelRequested, claimed }: ImportRow): boolean {
  if (isFinished(status)) return false;
  return queueProgress === null || cancelRequested === true || (status === "queued" && claimed);
}

interface Base {
  readonly view: ImportView;
  /** Revision of the stream that the view includes. */
  readonly revision: bigint;
  /** Rows rejected up to then; the view of a running fulfilment import hides them. */
  readonly rejected: number;
}

async function requestedView(
  organisationId: string,
  { kind }: ImportName,
  stream: string,
  eventStore: EventStore,
): Promise<Base | undefined> {
  for await (const event of eventStore.read(stream, { max: 1 })) {
    const decoded = decodeOn("import", event);
    if (decoded?.type !== "ImportRequested") return undefined;
    const request = decoded.data;
    if (request.organisationId !== organisationId || request.kind !== kind) return undefined;
    const { importId, source, sourceDetails } = request;
    const none = {
      startedAt: null,
      finishedAt: null,
      errorMessage: null,
      reportKey: null,
      counts: { received: 0, processed: 0, failed: 0 },
    };
    return {
      view: { importId, kind, source, sourceDetails, status: "queued", progress: 0, submittedAt: new Date(request.at), ...none },
      revision: 0n,
      rejected: 0,
    };
  }
  return undefined;
}

/**
 * `completed` is never told from here: the ledgers change with the projection, and the status with them. Nothing of a cancelled or failed
 * import reaches the ledgers, so that its end is told as soon as it is recorded, with its counts, which do not change after it.
 */
async function withStream(base: Base, stream: string, eventStore: EventStore): Promise<ImportView> {
  const { view } = base;
  const stored = await eventStore.last(stream);
  const last = stored && decodeOn("import", stored);
  if (!last || last.revision === 0n) return view;
  const begun: ImportView = { ...view, status: "processing", startedAt: view.startedAt ?? (await startedAt(stream, eventStore)) };
  if (last.type === "ImportCompleted") return { ...begun, progress: 99 };
  if (last.type !== "ImportFailed" && last.type !== "ImportCancelled") return begun;
  const progress = Math.max(view.progress, Math.min(99, Math.floor(last.data.progress)));
  const counts = await settledCounts(base, last, eventStore);
  if (!counts) return { ...begun, progress };
  return {
    ...begun,
    status: last.type === "ImportFailed" ? "failed" : "cancelled",
    progress,
    counts,
    finishedAt: new Date(last.data.at),
    errorMessage: last.type === "ImportFailed" ? last.data.reason : null,
  };
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
