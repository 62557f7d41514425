// What happened to an import, from its stream and those of its corrections and reversals. The number of rows hardly matters for the cost.
import { actorOf } from "../../domain/principal.js";
import { decodeOn, type RecordedEventOn } from "../../events/codec.js";
import { type ImportEnding, isImportEnding } from "../../events/importEvents.js";
import { type RecordedImportEvent, startedRevision } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import { type EventStore, eventAt, eventsOf, type StoredEvent } from "../../ports/eventStore.js";
import { findFirstRevision } from "../streamSearch.js";
import type { ImportView } from "./importView.js";

export type TimelineStep =
  | RecordedImportEvent<"ImportRequested" | "ImportStarted" | ImportEnding>
  | { readonly type: "ImportResumed"; readonly recordedAt: Date; readonly worker: string; readonly row: number | undefined }
  | LaterStep;

/** A decision on rows after the import has ended. ReversalDecided is left out, since RowsReversed follows it. */
type LaterStep = Exclude<RecordedEventOn<"corrections" | "reversals">, { type: "ReversalDecided" }>;

const maxStepsAfterEnd = 50; // of corrections, and of reversals

/** The import's steps, oldest first. Empty for an import of another organisation. Only a completed import has corrections and reversals. */
export async function importTimeline(
  organisationId: string,
  { importId, status }: Pick<ImportView, "importId" | "status">,
  eventStore: EventStore,
): Promise<readonly TimelineStep[]> {
  const stream = streamOf.import(importId);
  const [firstEvents, lastEvent, laterSteps] = await Promise.all([
    eventsOf(eventStore, stream, { max: 2 }),
    eventStore.last(stream),
    status === "completed" ? stepsAfterEnd(importId, eventStore) : [],
  ]);
  const [requested, started] = firstEvents.map((stored) => decodeOn("import", stored));
  if (requested?.type !== "ImportRequested" || requested.data.organisationId !== organisationId || !lastEvent) return [];
  if (started?.type !== "ImportStarted") return started && isEnding(started) ? [requested, started] : [requested];
  const end = decodeOn("import", lastEvent);
  // ImportCancelled may name a person or a key. The event before it then names the last worker.
  const lastWorkerEvent = lastEvent.type === "ImportCancelled" ? await eventAt(eventStore, stream, lastEvent.revision - 1n) : lastEvent;
  const resumptions = lastWorkerEvent ? await firstEventsOfOtherWorkers(eventStore, actorOf(started.data.by), lastWorkerEvent) : [];
  return [requested, started, ...resumptions.map(resumedStep), ...(end && isEnding(end) ? [end] : []), ...laterSteps];
}

async function stepsAfterEnd(importId: string, eventStore: EventStore): Promise<LaterStep[]> {
  const [corrections, reversals] = await Promise.all([
    eventsOf(eventStore, streamOf.corrections(importId), { max: maxStepsAfterEnd }),
    eventsOf(eventStore, streamOf.reversals(importId), { max: maxStepsAfterEnd }),
  ]);
  const events = [
    ...corrections.map((stored) => decodeOn("corrections", stored)),
    ...reversals.map((stored) => decodeOn("reversals", stored)),
  ].filter((event): event is LaterStep => event !== undefined && event.type !== "ReversalDecided");
  return events.sort((one, other) => Number(one.position.commit - other.position.commit));
}

const isEnding = (event: RecordedImportEvent): event is RecordedImportEvent<ImportEnding> => isImportEnding(event.type);

/** `stored` is the first event of the worker that resumed the import: usually a row, or the ending if all rows were already recorded. */
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

const maxResumed = 20;

/**
 * The first event of each worker that resumed the import after another one. Every event names its worker, and no worker process comes back
 * to an import that another one has resumed.
 */
async function firstEventsOfOtherWorkers(eventStore: EventStore, firstWorker: string, last: StoredEvent): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (let [worker, after] = [firstWorker, startedRevision]; last.metadata.actor !== worker && found.length < maxResumed; ) {
    const isAnother = ({ metadata }: StoredEvent) => metadata.actor !== worker;
    const revision = await findFirstRevision(eventStore, last.stream, [after, last.revision], isAnother);
    const firstEvent = await eventAt(eventStore, last.stream, revision);
    if (!firstEvent) break;
    found.push(firstEvent);
    [worker, after] = [firstEvent.metadata.actor, firstEvent.revision];
  }
  return found;
}
