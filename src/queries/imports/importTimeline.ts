// What happened to an import, from its stream and those of its corrections and reversals. Costs the same for ten rows and for a million.
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { type ImportEnding, isImportEnding } from "../../events/importEvents.js";
import { type ImportEvent, startedRevision } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventAt, type StoredEvent } from "../../ports/eventStore.js";
import { type RecentValues, recentValues, valuePerOwner } from "../../recentValues.js";
import { firstRevision } from "../streamSearch.js";
import type { ImportView } from "./importView.js";

export type TimelineStep =
  | ImportEvent<"ImportRequested" | "ImportStarted" | ImportEnding>
  | { readonly type: "ImportResumed"; readonly recordedAt: Date; readonly worker: string; readonly row: number | undefined }
  | LaterStep;

/** What is decided on a row once the import has ended. ReversalDecided is left out: RowsReversed follows. */
type LaterStep = Exclude<RecordedOn<"corrections" | "reversals">, { type: "ReversalDecided" }>;

const mostAfterEnd = 50;

/** In the order in which it happened. Empty for an import of another organisation. Only a completed import has corrections and reversals. */
export async function importTimeline(
  organisationId: string,
  { importId, status }: Pick<ImportView, "importId" | "status">,
  eventStore: EventStore,
): Promise<readonly TimelineStep[]> {
  const stream = streamOf.import(importId);
  const [first, last, later] = await Promise.all([
    firstTwo(eventStore, stream),
    eventStore.last(stream),
    status === "completed" ? afterEnd(importId, eventStore) : [],
  ]);
  const [requested, started] = first.map((stored) => decodeOn("import", stored));
  if (requested?.type !== "ImportRequested" || requested.data.organisationId !== organisationId || !last) return [];
  if (started?.type !== "ImportStarted") return started && isEnding(started) ? [requested, started] : [requested];
  const end = decodeOn("import", last);
  // ImportCancelled may name a person or a key, not a worker.
  const [revision, lastOfWorker] = last.type === "ImportCancelled" ? [last.revision - 1n, undefined] : [last.revision, last];
  const resumed = await changesOfWorker(eventStore, { stream, first: actorOf(started.data.by) }, revision, lastOfWorker);
  return [requested, started, ...resumed.map(resumedStep), ...(end && isEnding(end) ? [end] : []), ...later];
}

async function afterEnd(importId: string, eventStore: EventStore): Promise<LaterStep[]> {
  const [corrections, reversals] = await Promise.all([
    readSome(eventStore, streamOf.corrections(importId), mostAfterEnd),
    readSome(eventStore, streamOf.reversals(importId), mostAfterEnd),
  ]);
  const events = [
    ...corrections.map((stored) => decodeOn("corrections", stored)),
    ...reversals.map((stored) => decodeOn("reversals", stored)),
  ].filter((event): event is LaterStep => event !== undefined && event.type !== "ReversalDecided");
  return events.sort((one, other) => Number(one.position.commit - other.position.commit));
}

const isEnding = (event: ImportEvent): event is ImportEvent<ImportEnding> => isImportEnding(event.type);

/** What has been read of a stream. Recorded events never change, and pages that are open ask for them again and again. */
interface KnownStream {
  /** The first two events, once there are two. */
  first?: readonly StoredEvent[];
  /** The first event of each worker that took the import up from another one, as far as they are known. */
  readonly changes: StoredEvent[];
  /** The revision up to which the changes are known. */
  upTo: bigint;
}

const knownStreams = valuePerOwner<EventStore, RecentValues<KnownStream>>(() => recentValues(500));
const mostChanges = 20;

function knownOf(eventStore: EventStore, stream: string): KnownStream {
  const streams = knownStreams(eventStore);
  const known = streams.get(stream) ?? { changes: [], upTo: startedRevision };
  streams.set(stream, known);
  return known;
}

async function firstTwo(eventStore: EventStore, stream: string): Promise<readonly StoredEvent[]> {
  const known = knownOf(eventStore, stream);
  if (known.first) return known.first;
  const events = await readSome(eventStore, stream, 2);
  if (events.length === 2) known.first = events;
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

/** Every event names its worker, and no worker process comes back to an import that another one has taken up. */
async function changesOfWorker(
  eventStore: EventStore,
  { stream, first }: { readonly stream: string; readonly first: string },
  last: bigint,
  /** The event of that revision, where it was read already. */
  lastEvent: StoredEvent | undefined,
): Promise<readonly StoredEvent[]> {
  const known = knownOf(eventStore, stream);
  while (known.upTo < last && known.changes.length < mostChanges) {
    const actor = known.changes.at(-1)?.metadata.actor ?? first;
    const change = await firstOfAnother(eventStore, stream, [known.upTo, last], actor, lastEvent);
    if (!change) {
      known.upTo = last;
      break;
    }
    if (change.revision <= known.upTo) continue; // another request has found it meanwhile
    known.changes.push(change);
    known.upTo = change.revision;
  }
  return known.changes;
}

async function firstOfAnother(
  eventStore: EventStore,
  stream: string,
  range: readonly [after: bigint, last: bigint],
  actor: string,
  lastEvent: StoredEvent | undefined,
): Promise<StoredEvent | undefined> {
  const isAnother = ({ metadata }: StoredEvent) => metadata.actor !== actor;
  const last = lastEvent ?? (await eventAt(eventStore, stream, range[1]));
  if (!last || !isAnother(last)) return undefined;
  const revision = await firstRevision(eventStore, stream, range, isAnother);
  return revision === last.revision ? last : eventAt(eventStore, stream, revision);
}
