// The history of one import, from its stream alone. Memory does not grow with the import's rows.
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import type { ImportRequested, ImportStarted, RowAccepted, RowRejected } from "../../events/importEvents.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore, StoredEvent } from "../../ports/eventStore.js";
import { type AuditedEnding, foldEvent, type ImportFold, newFold, recounted } from "../evidence/importFold.js";

/** A time by the event store's clock, or a revision of the stream: later events are left out. */
export type AsOf = { readonly time: Date } | { readonly revision: bigint };

/** Consecutive rows that one worker recorded without a long pause. */
export interface RowRun {
  readonly actor: string;
  readonly from: bigint;
  to: bigint;
  readonly firstRow: number;
  lastRow: number;
  readonly begun: Date;
  ended: Date;
  /** Seconds between the previous event and the first row. */
  readonly pause: number;
}

export interface ImportHistory {
  readonly fold: ImportFold;
  readonly requested: { readonly data: ImportRequested; readonly recordedAt: Date };
  readonly started: { readonly data: ImportStarted; readonly recordedAt: Date } | undefined;
  readonly ended: (AuditedEnding & { readonly recordedAt: Date; readonly actor: string }) | undefined;
  readonly runs: readonly RowRun[];
  readonly counts: { readonly received: number; readonly processed: number; readonly failed: number };
  readonly accepted: number;
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
  /** False when the stream has events after `asOf`. */
  readonly whole: boolean;
}

export type RowOutcome = { readonly revision: bigint; readonly recordedAt: Date } & (
  | { readonly type: "RowAccepted"; readonly data: RowAccepted }
  | { readonly type: "RowRejected"; readonly data: RowRejected }
);

export interface HistoryOptions {
  readonly eventStore: EventStore;
  readonly asOf?: AsOf | undefined;
  readonly signal: AbortSignal;
  readonly onRow?: (outcome: RowOutcome) => Promise<void> | void;
  readonly onEvent?: (revision: bigint) => void;
}

/** Undefined when there is no such import, or there was none at `asOf`. */
export async function importHistory(importId: string, options: HistoryOptions): Promise<ImportHistory | undefined> {
  const { eventStore, asOf, signal, onRow, onEvent } = options;
  const stream = streamOf.import(importId);
  const builder = historyBuilder(newFold(stream, { whole: false }));
  let whole = true;
  for await (const stored of eventStore.read(stream, { signal })) {
    if (asOf && ("time" in asOf ? stored.recordedAt > asOf.time : stored.revision > asOf.revision)) {
      whole = false;
      break;
    }
    foldEvent(builder.fold, stored);
    const event = readable(stored);
    if (event) builder.add(event);
    if (onRow && (event?.type === "RowAccepted" || event?.type === "RowRejected")) await onRow(event);
    onEvent?.(stored.revision);
  }
  return builder.build(whole);
}

/** Undefined for an unreadable event; the fold's faults name it. */
function readable(stored: StoredEvent): RecordedOn<"import"> | undefined {
  try {
    return decodeOn("import", stored);
  } catch {
    return undefined;
  }
}

const longPauseSeconds = 5;
const mostRuns = 1_000;
const mostReasons = 1_000;
const otherReasons = "(other reasons)";

function historyBuilder(fold: ImportFold) {
  let requested: ImportHistory["requested"] | undefined;
  let started: ImportHistory["started"];
  let ended: ImportHistory["ended"];
  let last: Date | undefined;
  const runs: RowRun[] = [];
  const reasons = new Map<string, number>();
  const addRow = (event: Extract<RecordedOn<"import">, { type: "RowAccepted" | "RowRejected" }>) => {
    const { revision, recordedAt } = event;
    const { actor } = event.metadata;
    const pause = last ? (recordedAt.getTime() - last.getTime()) / 1000 : 0;
    const current = runs.at(-1);
    const goesOn = current?.actor === actor && pause < longPauseSeconds;
    if (current && (goesOn || runs.length === mostRuns)) {
      Object.assign(current, { to: revision, lastRow: event.data.row, ended: recordedAt });
    } else {
      const { row } = event.data;
      runs.push({ actor, from: revision, to: revision, firstRow: row, lastRow: row, begun: recordedAt, ended: recordedAt, pause });
    }
    if (event.type !== "RowRejected") return;
    const { error } = event.data;
    const reason = reasons.has(error) || reasons.size < mostReasons ? error : otherReasons;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  };
  const addEvent = (event: RecordedOn<"import">): void => {
    const { recordedAt, revision, position } = event;
    switch (event.type) {
      case "ImportRequested":
        requested ??= { data: event.data, recordedAt };
        return;
      case "ImportStarted":
        started ??= { data: event.data, recordedAt };
        return;
      case "RowAccepted":
      case "RowRejected":
        addRow(event);
        return;
      case "ImportCompleted":
      case "ImportFailed":
      case "ImportCancelled": {
        const { type, data, metadata } = event;
        ended ??= { type, data, revision, position, recordedAt, actor: metadata.actor } as ImportHistory["ended"];
        return;
      }
    }
    event satisfies never;
  };
  return {
    fold,
    add(event: RecordedOn<"import">): void {
      addEvent(event);
      last = event.recordedAt;
    },
    build(whole: boolean): ImportHistory | undefined {
      if (!requested) return undefined;
      const counted = [...reasons].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows);
      return { fold, requested, started, ended, runs, counts: recounted(fold), accepted: fold.accepted, reasons: counted, whole };
    },
  };
}

export type CorrectionStep = RecordedOn<"corrections">;

/** Empty as of a revision: that is a revision of the import's stream, and says nothing about the stream of its corrections. */
export async function correctionStory(
  importId: string,
  { eventStore, asOf, signal }: { readonly eventStore: EventStore; readonly asOf?: AsOf | undefined; readonly signal: AbortSignal },
): Promise<CorrectionStep[]> {
  const steps: CorrectionStep[] = [];
  if (asOf && "revision" in asOf) return steps;
  for await (const stored of eventStore.read(streamOf.corrections(importId), { signal })) {
    if (asOf && stored.recordedAt > asOf.time) break;
    const event = decodeOn("corrections", stored);
    if (event) steps.push(event);
  }
  return steps;
}
