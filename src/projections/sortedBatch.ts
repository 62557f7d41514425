// Groups the events of a batch by import, for all projections together.
import { isUuid } from "../domain/uuid.js";
import { decodeOn, type RecordedEventOn, UnreadableEvent } from "../events/codec.js";
import type { ImportEnding, ImportKind, RowAccepted, RowRejected } from "../events/importEvents.js";
import type { RecordedImportEvent } from "../events/importLayout.js";
import { isEventType, type StreamKind } from "../events/registry.js";
import { streamPrefix } from "../events/streams.js";
import { versionOf } from "../events/upcasters.js";
import type { StoredEvent } from "../ports/eventStore.js";
import type { RunningTotals } from "./models/runningTotals.js";

export interface ImportFacts {
  readonly importId: string;
  /** Commit position of ImportRequested, as text for SQL. */
  readonly position: string;
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly sourceDetails: string;
  /** Whether the import corrects rows of another one. */
  readonly isCorrection: boolean;
  /** Set only for an activity import that this process has followed from its start. */
  totals?: RunningTotals;
}

/** The events of one import in one batch. */
export interface ImportSlice {
  readonly importId: string;
  /** Filled in by importFacts.ts before any projection sees the slice. */
  facts?: ImportFacts | undefined;
  request?: RecordedImportEvent<"ImportRequested">;
  start?: RecordedImportEvent<"ImportStarted">;
  readonly acceptedRows: RowAccepted[];
  /** The revision of each accepted row, in the same order. */
  readonly acceptedRevisions: bigint[];
  readonly rejectedRows: RowRejected[];
  ending?: RecordedImportEvent<ImportEnding>;
  /** The revision of the first of these events that is not ImportRequested; undefined if there is none. */
  firstRevision: bigint | undefined;
  lastRevision: bigint;
}

export interface SortedBatch {
  readonly events: readonly StoredEvent[];
  readonly imports: readonly ImportSlice[];
  /** The slices of imports that end in the batch, in the order of the event log. */
  readonly endedSlices: readonly ImportSlice[];
}

/** Logs an event that a projection cannot read. The projection skips it: one broken event must not stop all organisations' imports. */
export type SkipEvent = (event: StoredEvent, why: string) => void;

export interface EndedImport {
  readonly facts: ImportFacts;
  readonly ending: RecordedImportEvent<ImportEnding>;
}

export interface CompletedImport extends EndedImport {
  readonly ending: RecordedImportEvent<"ImportCompleted">;
}

/** The imports of one kind that end in the batch, in the order of the event log. The abandoned ones failed or were cancelled. */
export function endingsOf({ endedSlices }: SortedBatch, kind: ImportKind) {
  const completed: CompletedImport[] = [];
  const abandoned: EndedImport[] = [];
  for (const { facts, ending } of endedSlices) {
    if (!ending || facts?.kind !== kind) continue;
    if (ending.type === "ImportCompleted") completed.push({ facts, ending });
    else abandoned.push({ facts, ending });
  }
  return { completed, abandoned };
}

export function sortBatch(events: readonly StoredEvent[], skip: SkipEvent): SortedBatch {
  const slices = new Map<string, ImportSlice>();
  const endedSlices: ImportSlice[] = [];
  let slice: ImportSlice | undefined;
  let stream = "";
  for (const event of events) {
    if (event.stream !== stream) {
      stream = event.stream;
      slice = sliceOf(slices, stream);
    }
    if (slice) addToSlice(event, slice, endedSlices, skip);
  }
  return { events, imports: [...slices.values()], endedSlices };
}

function sliceOf(slices: Map<string, ImportSlice>, stream: string): ImportSlice | undefined {
  const importId = importIdOf(stream);
  if (importId === undefined) return undefined;
  const existing = slices.get(importId);
  if (existing) return existing;
  const rows = { acceptedRows: [], acceptedRevisions: [], rejectedRows: [] };
  const slice: ImportSlice = { importId, ...rows, firstRevision: undefined, lastRevision: 0n };
  slices.set(importId, slice);
  return slice;
}

export function importIdOf(stream: string): string | undefined {
  if (!stream.startsWith(streamPrefix.import)) return undefined;
  const id = stream.slice(streamPrefix.import.length);
  return isUuid(id) ? id : undefined;
}

function addToSlice(stored: StoredEvent, slice: ImportSlice, endedSlices: ImportSlice[], skip: SkipEvent): void {
  const event = readImportEvent(stored, skip);
  if (!event) return;
  if (event.type !== "ImportRequested") slice.firstRevision ??= event.revision;
  slice.lastRevision = event.revision;
  switch (event.type) {
    case "RowAccepted":
      slice.acceptedRows.push(event.data);
      slice.acceptedRevisions.push(event.revision);
      return;
    case "RowRejected":
      slice.rejectedRows.push(event.data);
      return;
    case "ImportRequested":
      slice.request = event;
      return;
    case "ImportStarted":
      slice.start = event;
      return;
    case "ImportCompleted":
    case "ImportFailed":
    case "ImportCancelled":
      slice.ending = event;
      endedSlices.push(slice);
      return;
  }
  event satisfies never;
}

/**
 * Decodes an event, or skips it if it is unreadable. Throws for an event that a later version of the service wrote, since skipping it would
 * lose its rows for good.
 */
export function decodeOrSkip<S extends StreamKind>(kind: S, event: StoredEvent, skip: SkipEvent): RecordedEventOn<S> | undefined {
  try {
    return decodeOn(kind, event);
  } catch (error) {
    const isLaterVersion = isEventType(event.type) && event.metadata.v > versionOf(event.type);
    if (!(error instanceof UnreadableEvent) || isLaterVersion) throw error;
    skip(event, error.message);
    return undefined;
  }
}

function readImportEvent(event: StoredEvent, skip: SkipEvent): RecordedImportEvent | undefined {
  const decoded = decodeOrSkip("import", event, skip);
  if (decoded?.type !== "RowAccepted" && decoded?.type !== "RowRejected") return decoded;
  if (Number.isInteger(decoded.data.row)) return decoded;
  skip(event, "it has no row number");
  return undefined;
}
