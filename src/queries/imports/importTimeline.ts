// What happened to an import, from its stream and those of its corrections and reversals. Costs the same for ten rows and for a million.
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { type ImportEnding, isImportEnding } from "../../events/importEvents.js";
import { type ImportEvent, startedRevision } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventAt, eventsOf, type StoredEvent } from "../../ports/eventStore.js";
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
    eventsOf(eventStore, stream, { max: 2 }),
    eventStore.last(stream),
    status === "completed" ? afterEnd(importId, eventStore) : [],
  ]);
  const [requested, started] = first.map((stored) => decodeOn("import", stored));
  if (requested?.type !== "ImportRequested" || requested.data.organisationId !== organisationId || !last) return [];
  if (started?.type !== "ImportStarted") return started && isEnding(started) ? [requested, started] : [requested];
  const end = decodeOn("import", last);
  // ImportCancelled may name a person or a key, not a worker.
  const lastOfWorker = last.type === "ImportCancelled" ? await eventAt(eventStore, stream, last.revision - 1n) : last;
  const resumed = lastOfWorker ? await firstOfOtherWorkers(eventStore, actorOf(started.data.by), lastOfWorker) : [];
  return [requested, started, ...resumed.map(resumedStep), ...(end && isEnding(end) ? [end] : []), ...later];
}

async function afterEnd(importId: string, eventStore: EventStore): Promise<LaterStep[]> {
  const [corrections, reversals] = await Promise.all([
    eventsOf(eventStore, streamOf.corrections(importId), { max: mostAfterEnd }),
    eventsOf(eventStore, streamOf.reversals(importId), { max: mostAfterEnd }),
  ]);
  const events = [
    ...corrections.map((stored) => decodeOn("corrections", stored)),
    ...reversals.map((stored) => decodeOn("reversals", stored)),
  ].filter((event): event is LaterStep => event !== undefined && event.type !== "ReversalDecided");
  return events.sort((one, other) => Number(one.position.commit - other.position.commit));
}

const isEnding = (event: ImportEvent): event is ImportEvent<ImportEnding> => isImportEnding(event.type);

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

const mostResumed = 20;

/**
 * The first event of each worker that took the import up from another one. Every event names its worker, and no worker process comes back to an
 * import that another one has taken up.
 */
async function firstOfOtherWorkers(eventStore: EventStore, firstWorker: string, last: StoredEvent): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (let [worker, after] = [firstWorker, startedRevision]; last.metadata.actor !== worker && found.length < mostResumed; ) {
    const isAnother = ({ metadata }: StoredEvent) => metadata.actor !== worker;
    const revision = await firstRevision(eventStore, last.stream, [after, last.revision], isAnother);
    const change = await eventAt(eventStore, last.stream, revision);
    if (!change) break;
    found.push(change);
    [worker, after] = [change.metadata.actor, change.revision];
  }
  return found;
}
