// The message of a webhook: the import as the API showed it at the event. Every attempt builds it from the stream, so that a retry, a
// replay and a "Send again" say the same. Only the link to the error report is new each time, since it expires.
import { isWebhookEventType, type WebhookStream, webhookEventsByType } from "../../domain/webhooks/types.js";
import { decodeOn } from "../../events/codec.js";
import type { RowsReversed } from "../../events/correctionEvents.js";
import type { ImportCompleted, ImportRequested } from "../../events/importEvents.js";
import { countRejectedInStream, readRequestedEvent, readStartedEvent, rowsBefore } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { Database } from "../../ports/database.js";
import { type EventStore, eventAt, type Revision, type StoredEvent } from "../../ports/eventStore.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { recentLoads } from "../../recentValues.js";
import { contractImport, detailsWithNotes, type ImportView } from "../imports/importView.js";
import type { Delivery } from "../organisations/webhooks.js";

interface MessageSources {
  readonly pool: Database;
  readonly eventStore: EventStore;
  readonly objectStore: Pick<ObjectStore, "link">;
}

/** The delivery that a message is built for. A ping has no import. */
export interface MessageSubject extends Pick<Delivery, "eventId" | "type" | "importId" | "revision" | "occurredAt" | "now"> {
  readonly organisationId: string;
  readonly endpointId: string;
}

/** The event cannot be sent: its type is not sent, or the event log does not have it any more because an older state was restored. */
export class EventGone extends Error {
  override readonly name = "EventGone";
}

const linkLifetimeSeconds = 3_600;

export async function webhookMessageOf(delivery: MessageSubject, sources: MessageSources): Promise<string> {
  const { type, occurredAt, endpointId, importId } = delivery;
  if (importId === null) return JSON.stringify({ type, timestamp: occurredAt.toISOString(), data: { endpointId } }); // a ping
  if (!isWebhookEventType(type)) throw new EventGone(`This version sends no ${type}`);
  const { at, view, reversal } = await loadCachedView(delivery.eventId, () =>
    loadView(delivery, { importId, stream: webhookEventsByType[type].stream }, sources),
  );
  const link = { downloadName: `rejected-rows-${importId}.xlsx`, expiresInSeconds: linkLifetimeSeconds, now: delivery.now };
  const errorReportUrl = view.reportKey === null ? null : await sources.objectStore.link(view.reportKey, link);
  const data = contractImport(view, errorReportUrl);
  return JSON.stringify({ type, timestamp: at, data: reversal ? { ...data, reversal } : data });
}

interface ImportAtEvent {
  readonly at: string;
  readonly view: ImportView;
  /** The reversal as the API lists it, if the event is one. */
  readonly reversal?: Pick<RowsReversed, "reversalId" | "at" | "reason" | "count"> & ReturnType<typeof listedRows>;
}

const maxCachedViews = 500;
/** Reads an event that goes to several endpoints only once, even if it is sent to them at the same time. */
const loadCachedView = recentLoads<ImportAtEvent>(maxCachedViews);

async function loadView(
  { organisationId, eventId, revision }: MessageSubject,
  { importId, stream }: { readonly importId: string; readonly stream: WebhookStream },
  sources: MessageSources,
): Promise<ImportAtEvent> {
  const { eventStore } = sources;
  const [requested, started, stored] = await Promise.all([
    readRequestedEvent(eventStore, importId),
    readStartedEvent(eventStore, importId),
    eventAt(eventStore, streamOf[stream](importId), BigInt(revision ?? 0)),
  ]);
  if (requested?.data.organisationId !== organisationId || stored?.id !== eventId)
    throw new EventGone(`The event log no longer has event ${eventId}: an older event store was restored`);
  const event = decodeOn(stream, stored);
  const beforeEvent: ImportView = { ...requestedView(requested.data), startedAt: started ? new Date(started.data.at) : null };
  switch (event?.type) {
    case "ImportStarted":
      return { at: event.data.at, view: { ...beforeEvent, status: "processing" } };
    case "ImportCompleted":
      return { at: event.data.at, view: completedView(beforeEvent, event.data) };
    case "ImportFailed":
    case "ImportCancelled": {
      const { at, progress } = event.data;
      const counts = await countsAt(sources, stored.revision, importId);
      const ended = { progress: Math.min(99, Math.max(0, Math.floor(progress))), finishedAt: new Date(at), counts };
      if (event.type === "ImportCancelled") return { at, view: { ...beforeEvent, ...ended, status: "cancelled" } };
      return { at, view: { ...beforeEvent, ...ended, status: "failed", errorMessage: event.data.reason } };
    }
    case "RowsReversed":
      return readReversal(stored, beforeEvent, sources);
    case "ImportRequested":
    case "RowAccepted":
    case "RowRejected":
    case undefined:
      throw new EventGone(`Event ${eventId} is of a type that is not sent`);
  }
}

function requestedView({ importId, kind, source, sourceDetails, at, corrects, sameFileAs }: ImportRequested): ImportView {
  return {
    importId,
    kind,
    source,
    sourceDetails,
    reference: sourceDetails,
    submittedAt: new Date(at),
    correctionOf: corrects ?? null,
    sameFileAs: sameFileAs ?? null,
    reversed: null,
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
}

/** The import as it was after this reversal: earlier reversals are included, later ones are not. */
async function readReversal(stored: StoredEvent, beforeEvent: ImportView, { eventStore }: MessageSources): Promise<ImportAtEvent> {
  const { importId } = beforeEvent;
  const last = await eventStore.last(streamOf.import(importId));
  const end = last && decodeOn("import", last);
  let [rows, all] = [0, false];
  let reversed: RowsReversed | undefined;
  for await (const each of eventStore.read(streamOf.reversals(importId), { max: Number(stored.revision) + 1 })) {
    const event = decodeOn("reversals", each);
    if (!event) continue;
    reversed = event.data;
    rows += event.data.count;
    all ||= event.data.rows === "all";
  }
  if (end?.type !== "ImportCompleted" || !reversed) throw new EventGone(`Event ${stored.id} has no completed import`);
  const { reversalId, reason, count, at } = reversed;
  const view: ImportView = {
    ...completedView(beforeEvent, end.data),
    reversed: { rows, all: all || rows === end.data.counts.processed, at },
  };
  return { at, view, reversal: { reversalId, at, reason, count, ...listedRows(reversed) } };
}

const listedRows = ({ rows }: RowsReversed) => (rows === "all" ? { all: true, rows: null } : { all: false, rows });

function completedView(beforeEvent: ImportView, { at, counts, notes, report, unusual, unusualRows }: ImportCompleted): ImportView {
  const sourceDetails = detailsWithNotes(beforeEvent.sourceDetails, notes);
  const ended = { status: "completed" as const, progress: 100, finishedAt: new Date(at) };
  const kinds = unusual?.map(({ kind, count }) => ({ kind, count }));
  return {
    ...beforeEvent,
    ...ended,
    counts,
    unusual: kinds ? { count: unusualRows ?? 0, kinds } : null,
    sourceDetails,
    reportKey: report?.key ?? null,
  };
}

/** The counts of a failed or cancelled import. Rejected rows come from the table if it includes the event, otherwise from the stream. */
async function countsAt({ pool, eventStore }: MessageSources, revision: Revision, importId: string): Promise<ImportView["counts"]> {
  const { rows } = await pool.query<{ failed: number }>("select failed from imports where import_id = $1 and revision = $2", [
    importId,
    String(revision),
  ]);
  return { received: rowsBefore(revision), processed: 0, failed: rows[0]?.failed ?? (await countRejectedInStream(eventStore, importId)) };
}
