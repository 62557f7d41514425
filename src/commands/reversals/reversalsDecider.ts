// The decider of an import's reversals: which of its accepted rows are reversed. A row is reversed once and stays reversed. Shipments are
// reversed whole, so they are identified and counted by their numbers in the import.
import type { Principal } from "../../domain/principal.js";
import { isInRanges, joinRanges, type Range, rangesOf } from "../../domain/ranges.js";
import type { RowsReversed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

type ReversalEvent = EventOn<"reversals">;

/** An activity or a shipment. `number` is the activity's row, or the shipment's number in the import; `rows` are the rows of its lines. */
export interface ReversalUnit {
  readonly number: number;
  readonly rows: readonly number[];
}

export interface ReverseRows {
  readonly type: "reverseRows";
  readonly importId: string;
  readonly reversalId: string;
  readonly extent:
    | {
        readonly all: true;
        /** How many activities or shipments the import wrote. */
        readonly writtenCount: number;
        /** Whether the reversal withdraws rejected rows: open ones, or those that open because their corrections are reversed too. */
        readonly withdrawsRows: boolean;
      }
    | { readonly all: false; readonly kind: "activities" | "shipments"; readonly units: readonly ReversalUnit[] };
  readonly reason: string;
  readonly includedIn?: RowsReversed["includedIn"];
  readonly by: Principal;
  readonly now: Date;
  /** When the last of these ended: the import, and the imports that claim its rows. The reversal's time is not earlier. */
  readonly notBefore: Date;
}

interface ReversalsState {
  /** Whether the import is reversed as a whole. */
  readonly isWhole: boolean;
  /** The numbers of the activities or shipments that were reversed one by one. */
  readonly reversedNumbers: readonly Range[];
  readonly lastReversal: { readonly reversalId: string; readonly at: string } | undefined;
  /** How many activities or shipments are reversed. */
  readonly reversedCount: number;
}

export function evolve(state: ReversalsState, { data }: ReversalEvent): ReversalsState {
  const counted = { ...state, reversedCount: state.reversedCount + data.count, lastReversal: data };
  if (data.rows === "all") return { ...counted, isWhole: true };
  return { ...counted, reversedNumbers: joinRanges(state.reversedNumbers, data.shipments ?? data.rows) };
}

export const reversalsAggregate: Aggregate<"reversals", ReversalsState> = {
  kind: "reversals",
  initial: () => ({ isWhole: false, reversedNumbers: [], lastReversal: undefined, reversedCount: 0 }),
  evolve,
};

export function decide(command: ReverseRows, state: ReversalsState): ReversalEvent[] {
  const { importId, reversalId, extent, reason, includedIn, by, now, notBefore } = command;
  if (state.isWhole) return [];
  // Clocks of two processes differ. `at` is never earlier than the events before it, so that reads as of a time see the event log's order.
  const at = new Date(Math.max(now.getTime(), notBefore.getTime(), Date.parse(state.lastReversal?.at ?? notBefore.toISOString())));
  const common = { importId, reversalId, reason, ...(includedIn && { includedIn }), by, at: at.toISOString() };
  if (extent.all) {
    const count = extent.writtenCount - state.reversedCount;
    return count === 0 && !extent.withdrawsRows ? [] : [{ type: "RowsReversed", data: { ...common, rows: "all", count } }];
  }
  const remainingUnits = extent.units.filter(({ number }) => !isInRanges(state.reversedNumbers, number));
  if (remainingUnits.length === 0) return [];
  const rows = rangesOf(remainingUnits.flatMap((unit) => unit.rows));
  const shipments = extent.kind === "shipments" ? { shipments: rangesOf(remainingUnits.map(({ number }) => number)) } : {};
  return [{ type: "RowsReversed", data: { ...common, rows, ...shipments, count: remainingUnits.length } }];
}
