// The history of one import, from its stream alone. Memory does not grow with the import's rows.
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import type { ImportEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";
import { foldEvent, newImportFold, recountRows } from "../evidence/importFold.js";

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

export type ImportHistory = NonNullable<Awaited<ReturnType<typeof importHistory>>>;

export type RecordedRow = ImportEvent<"RowAccepted" | "RowRejected">;

export interface HistoryOptions {
  readonly eventStore: EventStore;
  readonly asOf?: AsOf | undefined;
  readonly signal: AbortSignal;
  readonly onRow?: (outcome: RecordedRow) => Promise<void> | void;
  readonly onEvent?: (revision: bigint) => void;
}

/**
 * `reasons`: the most frequent first. `reachesEnd`: false when the stream has events after `asOf`. Undefined when there is no such import, or
 * there was none at `asOf`.
 */
export async function importHistory(importId: string, options: HistoryOptions) {
  const { eventStore, asOf, signal, onRow, onEvent } = options;
  const stream = streamOf.import(importId);
  const fold = newImportFold(stream, { whole: false });
  const rows = rowHistory();
  let last: Date | undefined;
  let reachesEnd = true;
  for await (const stored of eventStore.read(stream, { signal })) {
    if (asOf && ("time" in asOf ? stored.recordedAt > asOf.time : stored.revision > asOf.revision)) {
      reachesEnd = false;
      break;
    }
    const event = foldEvent(fold, stored);
    if (event?.type === "RowAccepted" || event?.type === "RowRejected") {
      rows.add(event, last ?? event.recordedAt);
      await onRow?.(event);
    }
    last = event?.recordedAt ?? last;
    onEvent?.(stored.revision);
  }
  const { requested, started, ended, accepted } = fold;
  const { runs, reasons } = rows;
  return requested && { fold, requested, started, ended, accepted, runs, counts: recountRows(fold), reasons: reasons(), reachesEnd };
}

const longPauseSeconds = 5;
const mostRuns = 1_000;
const mostReasons = 1_000;
const otherReasons = "(other reasons)";

function rowHistory() {
  const runs: RowRun[] = [];
  const reasons = new Map<string, number>();
  return {
    runs,
    add({ type, data, revision, recordedAt, metadata: { actor } }: RecordedRow, last: Date): void {
      const pause = (recordedAt.getTime() - last.getTime()) / 1000;
      const { row } = data;
      const current = runs.at(-1);
      const goesOn = current?.actor === actor && pause < longPauseSeconds;
      if (current && (goesOn || runs.length === mostRuns)) Object.assign(current, { to: revision, lastRow: row, ended: recordedAt });
      else runs.push({ actor, from: revision, to: revision, firstRow: row, lastRow: row, begun: recordedAt, ended: recordedAt, pause });
      if (type !== "RowRejected") return;
      const reason = reasons.has(data.error) || reasons.size < mostReasons ? data.error : otherReasons;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
    reasons: () => [...reasons].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
  };
}

export type CorrectionStep = RecordedOn<"corrections">;

/**
 * Who took, dismissed and reopened rows of one import, or reversed them, in the order of that stream. Empty as of a revision: that is a
 * revision of the import's stream, and says nothing about the other streams.
 */
export async function readFollowUps<S extends "corrections" | "reversals">(
  kind: S,
  importId: string,
  { eventStore, asOf, signal }: { readonly eventStore: EventStore; readonly asOf?: AsOf | undefined; readonly signal: AbortSignal },
): Promise<RecordedOn<S>[]> {
  const steps: RecordedOn<S>[] = [];
  if (asOf && "revision" in asOf) return steps;
  for await (const stored of eventStore.read(streamOf[kind](importId), { signal })) {
    if (asOf && stored.recordedAt > asOf.time) break;
    const event = decodeOn(kind, stored);
    if (event) steps.push(event);
  }
  return steps;
}
