// An import's status: from the table, and where the table is behind what the caller may already know, from the stream.
import type { Pool } from "pg";
import { type ImportKind, importRequested } from "../events/importEvents.js";
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

/** Rejected rows are counted among so many, and for so long, while a caller waits: some 50,000 pass in a second. */
const countedRows = 10_000;
const countingMs = 1_000;

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
    if (event.type !== "ImportRequested") return undefined;
    const request = importRequested.parse(event.data);
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
 * import reaches the ledgers, so that its end is told as soon as it is recorded, however far behind the projection is.
 */
async function withStream(base: Base, stream: string, eventStore: EventStore): Promise<ImportView> {
  const { view } = base;
  const last = await eventStore.last(stream);
  if (!last || last.revision === 0n) return view;
  const begun: ImportView = { ...view, status: "processing", startedAt: view.startedAt ?? (await startedAt(stream, eventStore)) };
  if (last.type === "ImportCompleted") return { ...begun, progress: 99 };
  if (last.type !== "ImportFailed" && last.type !== "ImportCancelled") return begun;
  const outcome = last.data as { at: string; progress: number; reason?: string };
  return {
    ...begun,
    status: last.type === "ImportFailed" ? "failed" : "cancelled",
    progress: Math.max(view.progress, Math.min(99, Math.floor(outcome.progress))),
    counts: await settledCounts(base, last, eventStore),
    finishedAt: new Date(outcome.at),
    errorMessage: outcome.reason ?? null,
  };
}

async function startedAt(stream: string, eventStore: EventStore): Promise<Date | null> {
  for await (const event of eventStore.read(stream, { from: 1n, max: 1 })) {
    return event.type === "ImportStarted" ? new Date((event.data as { at: string }).at) : null;
  }
  return null;
}

/**
 * Nothing was written. One event per row stands between ImportStarted and the end, so the rows that were read follow from the revision.
 * Which of them were rejected only the events themselves say: behind many that the projection has not seen yet, `failed` is what has been
 * counted, never too many, and grows to the whole with the projection. The status is worth more than waiting for that.
 */
async function settledCounts({ revision, rejected }: Base, last: StoredEvent, eventStore: EventStore): Promise<ImportView["counts"]> {
  const received = Math.max(0, Number(last.revision) - 2);
  const enough = performance.now() + countingMs;
  let failed = rejected;
  for await (const { type } of eventStore.read(last.stream, { from: revision + 1n, max: countedRows })) {
    if (type === "RowRejected") failed += 1;
    if (performance.now() > enough) break;
  }
  return { received, processed: 0, failed };
}
