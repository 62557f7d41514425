// The history of one import, from its stream alone. Rows go to the caller one by one and are not kept in memory.
import { decodeOn, type RecordedEventOn } from "../../events/codec.js";
import type { RecordedImportEvent } from "../../events/importLayout.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";
import { foldEvent, newImportFold, recountRows } from "../evidence/importFold.js";

/** A time by the event store's clock, or a revision of the stream. Later events are ignored. */
export type AsOf = { readonly time: Date } | { readonly revision: bigint };

/** Consecutive rows that one worker recorded without a long pause. */
export interface RowStretch {
  readonly actor: string;
  readonly from: bigint; // revision of the first row's event
  to: bigint; // revision of the last row's event
  readonly firstRow: number;
  lastRow: number;
  readonly begun: Date;
  ended: Date;
  /** Seconds between the first row's event and the event before it. */
  readonly pause: number;
}

export type ImportHistory = NonNullable<Awaited<ReturnType<typeof importHistory>>>;

export type RecordedRow = RecordedImportEvent<"RowAccepted" | "RowRejected">;

export interface HistoryOptions {
  readonly eventStore: EventStore;
  readonly asOf?: AsOf | undefined;
  readonly signal: AbortSignal;
  readonly onRow?: (outcome: RecordedRow) => Promise<void> | void;
  readonly onEvent?: (revision: bigint) => void;
}

/**
 * Undefined if the import does not exist, or did not exist at `asOf`. `reasons` has the reasons of rejected rows, the most frequent one
 * first. `reachesEnd` is false if the stream has events after `asOf`.
 */
export async function importHistory(importId: string, options: HistoryOptions) {
  const { eventStore, asOf, signal, onRow, onEvent } = options;
  const stream = streamOf.import(importId);
  const fold = newImportFold(stream, { withShipments: false });
  const rows = createRowHistory();
  let lastRecordedAt: Date | undefined;
  let reachesEnd = true;
  for await (const stored of eventStore.read(stream, { signal })) {
    if (asOf && ("time" in asOf ? stored.recordedAt > asOf.time : stored.revision > asOf.revision)) {
      reachesEnd = false;
      break;
    }
    const event = foldEvent(fold, stored);
    if (event?.type === "RowAccepted" || event?.type === "RowRejected") {
      rows.add(event, lastRecordedAt ?? event.recordedAt);
      await onRow?.(event);
    }
    lastRecordedAt = event?.recordedAt ?? lastRecordedAt;
    onEvent?.(stored.revision);
  }
  const { requested, started, ended, accepted } = fold;
  const { stretches, reasons } = rows;
  return requested && { fold, requested, started, ended, accepted, stretches, counts: recountRows(fold), reasons: reasons(), reachesEnd };
}

const longPauseSeconds = 5;
const maxStretches = 1_000; // the last one takes all further rows
const maxReasons = 1_000;
const otherReasons = "(other reasons)";

function createRowHistory() {
  const stretches: RowStretch[] = [];
  const reasons = new Map<string, number>();
  return {
    stretches,
    add({ type, data, revision, recordedAt, metadata: { actor } }: RecordedRow, previousAt: Date): void {
      const pause = (recordedAt.getTime() - previousAt.getTime()) / 1000;
      const { row } = data;
      const current = stretches.at(-1);
      const isContinued = (current?.actor === actor && pause < longPauseSeconds) || stretches.length === maxStretches;
      if (current && isContinued) Object.assign(current, { to: revision, lastRow: row, ended: recordedAt });
      else
        stretches.push({ actor, from: revision, to: revision, firstRow: row, lastRow: row, begun: recordedAt, ended: recordedAt, pause });
      if (type !== "RowRejected") return;
      const reason = reasons.has(data.error) || reasons.size < maxReasons ? data.error : otherReasons;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
    reasons: () => [...reasons].map(([reason, rows]) => ({ reason, rows })).sort((a, b) => b.rows - a.rows),
  };
}

export type CorrectionStep = RecordedEventOn<"corrections">;

/**
 * The events of one import's stream of corrections or of reversals, in order. Returns none if `asOf` is a revision: a revision of the
 * import's own stream says nothing about these streams.
 */
export async function readFollowUps<S extends "corrections" | "reversals">(
  kind: S,
  importId: string,
  { eventStore, asOf, signal }: { readonly eventStore: EventStore; readonly asOf?: AsOf | undefined; readonly signal: AbortSignal },
): Promise<RecordedEventOn<S>[]> {
  const steps: RecordedEventOn<S>[] = [];
  if (asOf && "revision" in asOf) return steps;
  for await (const stored of eventStore.read(streamOf[kind](importId), { signal })) {
    if (asOf && stored.recordedAt > asOf.time) break;
    const event = decodeOn(kind, stored);
    if (event) steps.push(event);
  }
  return steps;
}
