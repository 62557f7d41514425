// Which accepted rows of a completed import are reversed. A row is reversed once, and stays reversed. Shipments are reversed whole, so they
// are counted, and told apart, by their numbers in the import.
import type { Principal } from "../../domain/principal.js";
import { isInRanges, joinRanges, type Range, rangesOf } from "../../domain/ranges.js";
import type { RowsReversed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

type ReversalEvent = EventOn<"reversals">;

/** An activity by its row, or a shipment by its number in the import, with the rows of its lines. */
export interface ReversalUnit {
  readonly number: number;
  readonly rows: readonly number[];
}

export interface ReverseRows {
  readonly type: "reverseRows";
  readonly importId: string;
  readonly reversalId: string;
  readonly what:
    | {
        readonly all: true;
        /** The activities or shipments that the import wrote. */
        readonly written: number;
        /** Whether rejected rows of the import are open, or will be since their corrections are reversed with it. They are withdrawn. */
        readonly withdraws: boolean;
      }
    | { readonly all: false; readonly of: "activities" | "shipments"; readonly units: readonly ReversalUnit[] };
  readonly reason: string;
  readonly includedIn?: RowsReversed["includedIn"];
  readonly by: Principal;
  readonly now: Date;
  /** When the import, or the last of the imports that claim its rows, ended. */
  readonly notBefore: Date;
}

interface ReversalsState {
  /** The import is reversed as a whole. */
  readonly all: boolean;
  /** The numbers of the activities or shipments that were reversed by their numbers. */
  readonly numbers: readonly Range[];
  /** The last reversal. */
  readonly last: { readonly reversalId: string; readonly at: string } | undefined;
  /** How many activities or shipments are reversed. */
  readonly count: number;
}

export function evolve(state: ReversalsState, { data }: ReversalEvent): ReversalsState {
  const counted = { ...state, count: state.count + data.count, last: data };
  if (data.rows === "all") return { ...counted, all: true };
  return { ...counted, numbers: joinRanges(state.numbers, data.shipments ?? data.rows) };
}

export const reversalsAggregate: Aggregate<"reversals", ReversalsState> = {
  kind: "reversals",
  initial: () => ({ all: false, numbers: [], last: undefined, count: 0 }),
  evolve,
};

export function decide(command: ReverseRows, state: ReversalsState): ReversalEvent[] {
  const { importId, reversalId, what, reason, includedIn, by, now, notBefore } = command;
  if (state.all) return [];
  // The clocks of two processes differ: what is read as of a time has to have the order of the event log.
  const at = new Date(Math.max(now.getTime(), notBefore.getTime(), Date.parse(state.last?.at ?? notBefore.toISOString())));
  const common = { importId, reversalId, reason, ...(includedIn && { includedIn }), by, at: at.toISOString() };
  if (what.all) {
    const count = what.written - state.count;
    return count === 0 && !what.withdraws ? [] : [{ type: "RowsReversed", data: { ...common, rows: "all", count } }];
  }
  const left = what.units.filter(({ number }) => !isInRanges(state.numbers, number));
  if (left.length === 0) return [];
  const rows = rangesOf(left.flatMap((unit) => unit.rows));
  const shipments = what.of === "shipments" ? { shipments: rangesOf(left.map(({ number }) => number)) } : {};
  return [{ type: "RowsReversed", data: { ...common, rows, ...shipments, count: left.length } }];
}
