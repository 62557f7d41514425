// Which rows of an import are claimed by a correction, and which are dismissed. A claim holds while the correcting import runs and after it
// has completed. It is released when that import fails or is cancelled, and when its row is reversed. A claim, dismissal or reopening that
// comes after a reversal of the row in the event log changes nothing, also if whoever made it did not see the reversal.
import { correctionRows, type ReversedRows, unreversedClaim, whyReversed } from "../../domain/claims.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow, ReversalDecided, RowsClaimed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

type CorrectionEvent = EventOn<"corrections">;

export type CorrectionCommand = {
  /** The import whose rows they are. */
  readonly importId: string;
  readonly rows: readonly number[];
  /** Those of the rows whose claim is released. */
  readonly released: ReadonlySet<number>;
  readonly by: Principal;
  readonly now: Date;
} & (
  | {
      readonly type: "claimRows";
      /** The import that corrects them. */
      readonly correction: string;
      /** By row: the import that has written the row's shipment since. */
      readonly superseded: ReadonlyMap<number, string>;
    }
  | { readonly type: "dismissRows"; readonly note: string }
  | { readonly type: "reopenRows" }
);

export type ClaimOrDismissal =
  /** By which import, and by which of its rows. */
  { readonly why: "claimed"; readonly importId: string; readonly row: number } | { readonly why: "dismissed"; readonly by: Principal };

export interface CorrectionsState {
  readonly reversed: ReversedRows;
  /** By correcting import: its claim. A row that was reversed before it counts as refused. */
  readonly claims: Map<string, RowsClaimed>;
  /** By row: who has it, or that it is dismissed; no entry for an open row. */
  readonly rows: Map<number, ClaimOrDismissal>;
  /** The reversals that were decided, in their order. */
  readonly decided: ReversalDecided[];
}

/** Changes the state it is given, which only the fold holds: copying it for each event would make a long stream slow. */
function evolve(state: CorrectionsState, event: CorrectionEvent, _: bigint, position: bigint): CorrectionsState {
  const isWithdrawn = state.reversed.all !== undefined && state.reversed.all < position;
  switch (event.type) {
    case "RowsClaimed": {
      const claim = unreversedClaim(event.data, state.reversed, position);
      const numberOf = correctionRows(event.data);
      state.claims.set(claim.correction, claim);
      for (const row of claim.rows) state.rows.set(row, { why: "claimed", importId: claim.correction, row: numberOf.get(row) ?? 0 });
      return state;
    }
    case "RowsDismissed":
      if (!isWithdrawn) for (const row of event.data.rows) state.rows.set(row, { why: "dismissed", by: event.data.by });
      return state;
    case "RowsReopened":
      if (!isWithdrawn) for (const row of event.data.rows) state.rows.delete(row);
      return state;
    case "ReversalDecided":
      state.decided.push(event.data);
      return state;
  }
}

export const correctionsAggregate = (reversed: ReversedRows): Aggregate<"corrections", CorrectionsState> => ({
  kind: "corrections",
  initial: () => ({ reversed, claims: new Map(), rows: new Map(), decided: [] }),
  evolve,
});

export function decide(command: CorrectionCommand, state: CorrectionsState): CorrectionEvent[] {
  const { importId, released, by } = command;
  const at = command.now.toISOString();
  const decisionOn = (row: number) => claimOrDismissalOf(row, state, released);
  switch (command.type) {
    case "claimRows": {
      const { correction, superseded } = command;
      if (state.claims.has(correction)) return []; // the same import, after an interruption
      const refused = command.rows.flatMap((row, ordinal) => {
        const why = refusal(decisionOn(row), superseded.get(row)) ?? reversal(row, state.reversed);
        return why ? [{ row, correctionRow: ordinal + 1, ...why }] : [];
      });
      const lost = new Set(refused.map(({ row }) => row));
      const rows = command.rows.filter((row) => !lost.has(row));
      return [{ type: "RowsClaimed", data: { importId, correction, rows, refused, by, at } }];
    }
    case "dismissRows": {
      const taken = command.rows.find((row) => decisionOn(row)?.why === "claimed");
      if (taken !== undefined) throw new Rejection("conflict", `Row ${taken} is already taken by a correction`);
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
  if (reversed.all !== undefined) throw new Rejection("conflict", sentence("its import is reversed"));
}

export function claimOrDismissalOf(row: number, state: CorrectionsState, released: ReadonlySet<number>): ClaimOrDismissal | undefined {
  const decision = state.rows.get(row);
  return decision?.why === "claimed" && released.has(row) ? undefined : decision;
}

function refusal(
  decision: ClaimOrDismissal | undefined,
  supersededBy: string | undefined,
): Pick<RefusedRow, "why" | "importId"> | undefined {
  if (decision?.why === "claimed") return { why: "claimed", importId: decision.importId };
  if (decision) return { why: "dismissed" };
  return supersededBy === undefined ? undefined : { why: "superseded", importId: supersededBy };
}

const reversal = (row: number, reversed: ReversedRows): Pick<RefusedRow, "why"> | undefined =>
  reversed.since(row) === undefined ? undefined : { why: whyReversed(row, reversed) };
