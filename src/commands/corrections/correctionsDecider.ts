// The decider of an import's corrections: which rows a correction has claimed, and which are dismissed. A claim holds while the correcting
// import runs and after it has completed. It is released when that import fails or is cancelled, and when its row is reversed. A claim,
// dismissal or reopening that comes after a reversal of the row in the event log has no effect, even if it was decided without knowing it.
import { correctionRows, type ReversedRows, unreversedClaim, whyReversed } from "../../domain/claims.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow, ReversalDecided, RowsClaimed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

type CorrectionEvent = EventOn<"corrections">;

export type CorrectionCommand = {
  /** The import that has the rows. */
  readonly importId: string;
  readonly rows: readonly number[];
  /** Those of `rows` whose claim is released. */
  readonly released: ReadonlySet<number>;
  readonly by: Principal;
  readonly now: Date;
} & (
  | {
      readonly type: "claimRows";
      /** The import that corrects them. */
      readonly correction: string;
      /** By superseded row: the import of the later version of its shipment, perhaps the same import. */
      readonly superseded: ReadonlyMap<number, string>;
    }
  | { readonly type: "dismissRows"; readonly note: string }
  | { readonly type: "reopenRows" }
);

export type ClaimOrDismissal =
  /** `importId`, `row`: the import that claims the row, and which of its rows corrects it. */
  { readonly why: "claimed"; readonly importId: string; readonly row: number } | { readonly why: "dismissed"; readonly by: Principal };

export interface CorrectionsState {
  readonly reversed: ReversedRows;
  /** By correcting import: its claim. A row that was reversed before the claim counts as refused. */
  readonly claims: Map<string, RowsClaimed>;
  /** By row: its claim or dismissal. Rows that are neither claimed nor dismissed have no entry. */
  readonly rows: Map<number, ClaimOrDismissal>;
  /** In the order in which they were decided. */
  readonly decidedReversals: ReversalDecided[];
}

/** Mutates the state, which only the fold refers to: copying it for each event would make long streams slow. */
function evolve(state: CorrectionsState, event: CorrectionEvent, _: bigint, position: bigint): CorrectionsState {
  const isWithdrawn = state.reversed.wholePosition !== undefined && state.reversed.wholePosition < position;
  switch (event.type) {
    case "RowsClaimed": {
      const claim = unreversedClaim(event.data, state.reversed, position);
      const correctionRowOf = correctionRows(event.data);
      state.claims.set(claim.correction, claim);
      for (const row of claim.rows) state.rows.set(row, { why: "claimed", importId: claim.correction, row: correctionRowOf.get(row) ?? 0 });
      return state;
    }
    case "RowsDismissed":
      if (!isWithdrawn) for (const row of event.data.rows) state.rows.set(row, { why: "dismissed", by: event.data.by });
      return state;
    case "RowsReopened":
      if (!isWithdrawn) for (const row of event.data.rows) state.rows.delete(row);
      return state;
    case "ReversalDecided":
      state.decidedReversals.push(event.data);
      return state;
  }
}

export const correctionsAggregate = (reversed: ReversedRows): Aggregate<"corrections", CorrectionsState> => ({
  kind: "corrections",
  initial: () => ({ reversed, claims: new Map(), rows: new Map(), decidedReversals: [] }),
  evolve,
});

export function decide(command: CorrectionCommand, state: CorrectionsState): CorrectionEvent[] {
  const { importId, released, by } = command;
  const at = command.now.toISOString();
  const decisionOn = (row: number) => claimOrDismissalOf(row, state, released);
  switch (command.type) {
    case "claimRows": {
      const { correction, superseded } = command;
      if (state.claims.has(correction)) return []; // the same import claims again after an interruption
      const refused = command.rows.flatMap((row, ordinal) => {
        const why = decisionRefusal(decisionOn(row), superseded.get(row)) ?? reversalRefusal(row, state.reversed);
        return why ? [{ row, correctionRow: ordinal + 1, ...why }] : [];
      });
      const refusedRows = new Set(refused.map(({ row }) => row));
      const rows = command.rows.filter((row) => !refusedRows.has(row));
      return [{ type: "RowsClaimed", data: { importId, correction, rows, refused, by, at } }];
    }
    case "dismissRows": {
      const claimedRow = command.rows.find((row) => decisionOn(row)?.why === "claimed");
      if (claimedRow !== undefined) throw new Rejection("conflict", `Row ${claimedRow} is already taken by a correction`);
      const rows = command.rows.filter((row) => decisionOn(row) === undefined);
      if (rows.length > 0) expectNotWithdrawn(state, (reversed) => `Row ${rows[0]} is withdrawn: ${reversed}`);
      return rows.length === 0 ? [] : [{ type: "RowsDismissed", data: { importId, rows, note: command.note, by, at } }];
    }
    case "reopenRows": {
      const rows = command.rows.filter((row) => decisionOn(row)?.why === "dismissed");
      if (rows.length > 0) expectNotWithdrawn(state, (reversed) => `Row ${rows[0]} cannot be opened again: ${reversed}`);
      return rows.length === 0 ? [] : [{ type: "RowsReopened", data: { importId, rows, by, at } }];
    }
  }
}

function expectNotWithdrawn({ reversed }: CorrectionsState, sentence: (reversed: string) => string): void {
  if (reversed.wholePosition !== undefined) throw new Rejection("conflict", sentence("its import is reversed"));
}

export function claimOrDismissalOf(row: number, state: CorrectionsState, released: ReadonlySet<number>): ClaimOrDismissal | undefined {
  const decision = state.rows.get(row);
  return decision?.why === "claimed" && released.has(row) ? undefined : decision;
}

function decisionRefusal(
  decision: ClaimOrDismissal | undefined,
  supersededBy: string | undefined,
): Pick<RefusedRow, "why" | "importId"> | undefined {
  if (decision?.why === "claimed") return { why: "claimed", importId: decision.importId };
  if (decision) return { why: "dismissed" };
  return supersededBy === undefined ? undefined : { why: "superseded", importId: supersededBy };
}

const reversalRefusal = (row: number, reversed: ReversedRows): Pick<RefusedRow, "why"> | undefined =>
  reversed.positionOf(row) === undefined ? undefined : { why: whyReversed(row, reversed) };
