// What happened to an import, from its stream and that of its corrections. Costs the same for ten rows and for a million.
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { endsImport, type ImportEnding } from "../../events/importEvents.js";
import { startedRevision } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventAt, type StoredEvent } from "../../ports/eventStore.js";
import type { ImportView } from "./importView.js";

type ImportEvent = RecordedOn<"import">;
export type TimelineStep =
  | Extract<ImportEvent, { type: "ImportRequested" | "ImportStarted" | ImportEnding }>
  | { readonly type: "ImportResumed"; readonly recordedAt: Date; readonly worker: string; readonly row: number | undefined }
  | RecordedOn<"corrections">;

const mostCorrections = 50;

/** In the order in which it happened. Empty for an import of another organisation. Only a completed import has corrections. */
export async function importTimeline(
  organisationId: string,
  { importId, status }: Pick<ImportView, "importId" | "status">,
  eventStore: EventStore,
): Promise<readonly TimelineStep[]> {
  const stream = streamOf.import(importId);
  const [first, last, corrections] = await Promise.all([
    beginningOf(eventStore, stream),
    eventStore.last(stream),
    status === "completed" ? readSome(eventStore, streamOf.corrections(importId), mostCorrections) : [],
  ]);
  const [requested, started] = first.map((stored) => decodeOn("import", stored));
  if (requested?.type !== "ImportRequested" || requested.data.organisationId !== organisationId || !last) return [];
  if (started?.type !== "ImportStarted") return started && isEnding(started) ? [requested, started] : [requested];
  const end = decodeOn("import", last);
  // ImportCancelled may name a person or a key, not a worker.
  const [revision, lastOfWorker] = last.type === "ImportCancelled" ? [last.revision - 1n, undefined] : [last.revision, last];
  const resumed = await changesOfWorker(eventStore, { stream, first: actorOf(started.data.by) }, revision, lastOfWorker);
  return [
    ...[requested, started],
    ...resumed.map(resumedStep),
    ...(end && isEnding(end) ? [end] : []),
    ...corrections.map((stored) => decodeOn("corrections", stored)).filter((event) => event !== undefined),
  ];
}

const isEnding = (event: ImportEvent): event is Extract<ImportEvent, { type: ImportEnding }> => endsImport(event.type);

/** The first two events of streams that have them: they never change, and pages that are open ask for them again and again. */
const beginnings = new WeakMap<EventStore, Map<string, readonly StoredEvent[]>>();
const mostBeginnings = 500;

async function beginningOf(eventStore: EventStore, stream: string): Promise<readonly StoredEvent[]> {
  const known = beginnings.get(eventStore) ?? new Map<string, readonly StoredEvent[]>();
  beginnings.set(eventStore, known);
  const events = known.get(stream) ?? (await readSome(eventStore, stream, 2));
  known.delete(stream);
  if (events.length === 2) known.set(stream, events);
  for (const oldest of known.keys()) if (known.size > mostBeginnings) known.delete(oldest);
  return events;
}

async function readSome(eventStore: EventStore, stream: string, max: number): Promise<StoredEvent[]> {
  const read: StoredEvent[] = [];
  for await (const event of eventStore.read(stream, { max })) read.push(event);
  return read;
}

/** A worker's first event is usually a row. It is the ending if all rows were already recorded. */
function resumedStep(stored: StoredEvent): TimelineStep {
  const event = decodeOn("import", stored);
  const isRow = event?.type === "RowAccepted" || event?.type === "RowRejected";
  return {
    type: "ImportResumed",
    recordedAt: stored.recordedAt,
    worker: stored.metadata.actor.replace(/^worker:/, ""),
    row: isRow ? event.data.row : undefined,
  };
}

interface Known {
  /** The revision up to which the changes are known. */
  upTo: bigint;
  actor: string;
  readonly changes: StoredEvent[];
}

/** Recorded events never change, so a later search in a stream continues where the last one ended. */
const knownOf = new WeakMap<EventStore, Map<string, Known>>();
const mostKnown = 500;
const mostChanges = 20;

/**
 * The first event of each worker that took the import up from another one. A binary search finds each in about twenty reads: every event
 * names its worker, and no worker process comes back to an import that another one has taken up.
 */
export async function changesOfWorker(
  eventStore: EventStore,
  { stream, first }: { readonly stream: string; readonly first: string },
  last: bigint,
  /** The event of that revision, where it was read already. */
  lastEvent: StoredEvent | undefined,
): Promise<readonly StoredEvent[]> {
  const known = knownOf.get(eventStore) ?? new Map<string, Known>();
  knownOf.set(eventStore, known);
  const soFar = known.get(stream) ?? { upTo: startedRevision, actor: first, changes: [] };
  known.delete(stream);
  known.set(stream, soFar);
  for (const oldest of known.keys()) if (known.size > mostKnown) known.delete(oldest);
  while (soFar.upTo < last && soFar.changes.length < mostChanges) {
    const change = await firstOfAnother(eventStore, stream, soFar, lastEvent ?? (await eventAt(eventStore, stream, last)));
    if (!change) {
      soFar.upTo = last;
      break;
    }
    if (change.revision <= soFar.upTo) continue; // another request has found it meanwhile
    soFar.changes.push(change);
    Object.assign(soFar, { upTo: change.revision, actor: change.metadata.actor });
  }
  return soFar.changes;
}

async function firstOfAnother(
  eventStore: EventStore,
  stream: string,
  { upTo, actor }: Known,
  last: StoredEvent | undefined,
): Promise<StoredEvent | undefined> {
  let same = upTo;
  let found = last;
  if (!found || found.metadata.actor === actor) return undefined;
  while (found.revision - same > 1n) {
    const middle = await eventAt(eventStore, stream, (same + found.revision) / 2n);
    if (!middle) return undefined;
    if (middle.metadata.actor === actor) same = middle.revision;
    else found = middle;
  }
  return found;
}
