// A batch of events, sorted by import once for all projections. Rows are told apart by a look, not by a schema: they were checked when
// they were written, and 900,000 of them pass here per file.
import {
  type ImportCancelled,
  type ImportCompleted,
  type ImportFailed,
  type ImportRequested,
  type ImportStarted,
  importCancelled,
  importCompleted,
  importFailed,
  importRequested,
  importStarted,
  type RowAccepted,
  type RowRejected,
} from "../events/importEvents.js";
import { streamPrefix } from "../events/streams.js";
import type { StoredEvent } from "../ports.js";
import type { ImportFacts } from "./importFacts.js";

export type Ending =
  | { readonly type: "ImportCompleted"; readonly data: ImportCompleted; readonly event: StoredEvent }
  | { readonly type: "ImportFailed"; readonly data: ImportFailed; readonly event: StoredEvent }
  | { readonly type: "ImportCancelled"; readonly data: ImportCancelled; readonly event: StoredEvent };

/** What one batch brought for one import. */
export interface ImportSlice {
  readonly importId: string;
  /** Filled in by importFacts.ts before any projection sees the slice. */
  facts: ImportFacts | undefined;
  requested: { readonly data: ImportRequested; readonly event: StoredEvent } | undefined;
  started: ImportStarted | undefined;
  readonly accepted: RowAccepted[];
  readonly rejected: RowRejected[];
  ended: Ending | undefined;
  /** Of the events after ImportRequested. */
  firstRevision: bigint | undefined;
  lastRevision: bigint;
}

export interface SortedBatch {
  readonly events: readonly StoredEvent[];
  readonly imports: readonly ImportSlice[];
  /** In the order of the log, so that the later of two writes to one shipment wins. */
  readonly endings: readonly ImportSlice[];
}

export type Refuse = (event: StoredEvent, why: string) => void;

/** `refuse` hears of every event that cannot be read. It is left out, because one broken event must not stop everybody's imports. */
export function sortBatch(events: readonly StoredEvent[], refuse: Refuse): SortedBatch {
  const slices = new Map<string, ImportSlice>();
  const endings: ImportSlice[] = [];
  let slice: ImportSlice | undefined;
  let stream = "";
  for (const event of events) {
    if (event.stream !== stream) {
      stream = event.stream;
      slice = sliceOf(slices, stream);
    }
    if (slice) place(event, slice, endings, refuse);
  }
  return { events, imports: [...slices.values()], endings };
}

function sliceOf(slices: Map<string, ImportSlice>, stream: string): ImportSlice | undefined {
  const importId = importIdOf(stream);
  if (importId === undefined) return undefined;
  const known = slices.get(importId);
  if (known) return known;
  const slice: ImportSlice = {
    importId,
    facts: undefined,
    requested: undefined,
    started: undefined,
    accepted: [],
    rejected: [],
    ended: undefined,
    firstRevision: undefined,
    lastRevision: 0n,
  };
  slices.set(importId, slice);
  return slice;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function importIdOf(stream: string): string | undefined {
  if (!stream.startsWith(streamPrefix.import)) return undefined;
  const id = stream.slice(streamPrefix.import.length);
  return uuid.test(id) ? id : undefined;
}

function place(event: StoredEvent, slice: ImportSlice, endings: ImportSlice[], refuse: Refuse): void {
  switch (event.type) {
    case "RowAccepted":
      if (!isRow(event, refuse)) return;
      slice.accepted.push(event.data as RowAccepted);
      break;
    case "RowRejected":
      if (!isRow(event, refuse)) return;
      slice.rejected.push(event.data as RowRejected);
      break;
    default:
      if (!placeMilestone(event, slice, endings, refuse)) return;
  }
  if (event.type !== "ImportRequested") slice.firstRevision ??= event.revision;
  slice.lastRevision = event.revision;
}

function isRow(event: StoredEvent, refuse: Refuse): boolean {
  const known = Number.isInteger((event.data as { row?: unknown } | undefined)?.row);
  if (!known) refuse(event, "has no row number");
  return known;
}

function placeMilestone(event: StoredEvent, slice: ImportSlice, endings: ImportSlice[], refuse: Refuse): boolean {
  try {
    switch (event.type) {
      case "ImportRequested":
        slice.requested = { data: importRequested.parse(event.data), event };
        return true;
      case "ImportStarted":
        slice.started = importStarted.parse(event.data);
        return true;
      case "ImportCompleted":
        slice.ended = { type: event.type, data: importCompleted.parse(event.data), event };
        break;
      case "ImportFailed":
        slice.ended = { type: event.type, data: importFailed.parse(event.data), event };
        break;
      case "ImportCancelled":
        slice.ended = { type: event.type, data: importCancelled.parse(event.data), event };
        break;
      default:
        refuse(event, "is of an unknown type");
        return false;
    }
    endings.push(slice);
    return true;
  } catch (error) {
    refuse(event, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
