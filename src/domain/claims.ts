// Decides between corrections that claim rows and reversals of the same rows: the earlier one in the event log wins.
// The decider and the projection share this code; the audit has its own.
import { isInRanges, type Range } from "./ranges.js";

export interface PositionedReversal {
  readonly rows: "all" | readonly Range[];
  /** The reversal's commit position in the event log. */
  readonly position: bigint;
}

/** Which rows of an import are reversed, and from which position of the event log on. */
export interface ReversedRows {
  /** Commit position at which the import was reversed as a whole. */
  readonly wholePosition: bigint | undefined;
  /** Commit position at which this row was reversed, by its number or with the whole import. */
  positionOf(row: number): bigint | undefined;
}

/** `reversals` must be in the order of the event log. */
export const reversedRows = (reversals: readonly PositionedReversal[]): ReversedRows => ({
  wholePosition: reversals.find(({ rows }) => rows === "all")?.position,
  positionOf: (row) => reversals.find(({ rows }) => rows === "all" || isInRanges(rows, row))?.position,
});

interface Claim {
  readonly rows: readonly number[];
  readonly refused: readonly { readonly row: number; readonly correctionRow: number; readonly why: string }[];
}

/** Refuses claimed rows that were reversed earlier in the event log: the process that claimed them may not have seen the reversal. */
export function unreversedClaim<C extends Claim>(claim: C, reversed: ReversedRows, position: bigint): C {
  const isReversed = (row: number) => (reversed.positionOf(row) ?? position) < position;
  const numbers = correctionRows(claim);
  const late = claim.rows.filter(isReversed).map((row) => ({ row, correctionRow: numbers.get(row) ?? 0, why: whyReversed(row, reversed) }));
  return late.length === 0 ? claim : { ...claim, rows: claim.rows.filter((row) => !isReversed(row)), refused: [...claim.refused, ...late] };
}

export const whyReversed = (row: number, reversed: ReversedRows) =>
  reversed.positionOf(row) === reversed.wholePosition ? "withdrawn" : "reversed";

/** Maps each claimed row to its number in the correcting import. Claimed rows keep their order and skip the refused rows' numbers. */
export function correctionRows({ rows, refused }: Claim): Map<number, number> {
  const refusedNumbers = new Set(refused.map(({ correctionRow }) => correctionRow));
  let number = 0;
  return new Map(
    rows.map((row) => {
      do number += 1;
      while (refusedNumbers.has(number));
      return [row, number];
    }),
  );
}
