// Claims of rows by corrections, and reversals of these rows: the event log's order decides. The decider and the projection share this; the audit has
// its own.
import { isInRanges, type Range } from "./ranges.js";

export interface ReversalAt {
  readonly rows: "all" | readonly Range[];
  /** Its commit position in the event log. */
  readonly position: bigint;
}

/** Which rows of an import are reversed, and since when. */
export interface ReversedRows {
  /** Commit position at which the import was reversed as a whole. */
  readonly all: bigint | undefined;
  /** Commit position at which this row was reversed, by its number or with the whole import. */
  since(row: number): bigint | undefined;
}

/** `reversals`: in the order of the event log. */
export const reversedRows = (reversals: readonly ReversalAt[]): ReversedRows => ({
  all: reversals.find(({ rows }) => rows === "all")?.position,
  since: (row) => reversals.find(({ rows }) => rows === "all" || isInRanges(rows, row))?.position,
});

interface Claim {
  readonly rows: readonly number[];
  readonly refused: readonly { readonly row: number; readonly correctionRow: number; readonly why: string }[];
}

/** The claim as it stands: rows that are reversed at an earlier position of the event log are refused, also if the claim did not see that. */
export function unreversedClaim<C extends Claim>(claim: C, reversed: ReversedRows, position: bigint): C {
  const isLate = (row: number) => (reversed.since(row) ?? position) < position;
  const numberOf = correctionRows(claim);
  const late = claim.rows.filter(isLate).map((row) => ({ row, correctionRow: numberOf.get(row) ?? 0, why: whyReversed(row, reversed) }));
  return late.length === 0 ? claim : { ...claim, rows: claim.rows.filter((row) => !isLate(row)), refused: [...claim.refused, ...late] };
}

export const whyReversed = (row: number, { all, since }: ReversedRows) => (since(row) === all ? "withdrawn" : "reversed");

/** By claimed row: its number in the correcting import, in which the claimed rows keep their order and the refused ones stand between them. */
export function correctionRows({ rows, refused }: Claim): Map<number, number> {
  const taken = new Set(refused.map(({ correctionRow }) => correctionRow));
  let number = 0;
  return new Map(
    rows.map((row) => {
      do number += 1;
      while (taken.has(number));
      return [row, number];
    }),
  );
}
