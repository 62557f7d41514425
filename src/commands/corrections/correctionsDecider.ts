// Which rejected rows of an import are claimed by a correction, and which are dismissed. A claim holds while the correcting import runs
// and after it has completed. An import that failed or was cancelled has written nothing, so another may claim its rows.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow, RowsClaimed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

type CorrectionEvent = EventOn<"corrections">;

export type CorrectionCommand = {
  /** The import whose rows they are. */
  readonly importId: string;
  readonly rows: readonly number[];
  /** Those of the rows' claimants that have failed or were cancelled. */
  readonly ended: ReadonlySet<string>;
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

export type Standing = { readonly why: "claimed"; readonly importId: string } | { readonly why: "dismissed"; readonly by: Principal };

export interface CorrectionsState {
  /** By correcting import. */
  readonly claims: Map<string, RowsClaimed>;
  /** By row: who has it, or that it is dismissed; no entry for an open row. */
  readonly rows: Map<number, Standing>;
}

/** Changes the state it is given, which only the fold holds: copying it for each event would make a long stream slow. */
export function evolve(state: CorrectionsState, event: CorrectionEvent): CorrectionsState {
  switch (event.type) {
    case "RowsClaimed":
      state.claims.set(event.data.correction, event.data);
      for (const row of event.data.rows) state.rows.set(row, { why: "claimed", importId: event.data.correction });
      return state;
    case "RowsDismissed":
      for (const row of event.data.rows) state.rows.set(row, { why: "dismissed", by: event.data.by });
      return state;
    case "RowsReopened":
      for (const row of event.data.rows) state.rows.delete(row);
      return state;
  }
}

export const correctionsAggregate: Aggregate<"corrections", CorrectionsState> = {
  kind: "corrections",
  initial: () => ({ claims: new Map(), rows: new Map() }),
  evolve,
};

export function decide(command: CorrectionCommand, state: CorrectionsState): CorrectionEvent[] {
  const { importId, ended, by } = command;
  const at = command.now.toISOString();
  const standing = (row: number) => standingOf(row, state, ended);
  switch (command.type) {
    case "claimRows": {
      const { correction, superseded } = command;
      if (state.claims.has(correction)) return []; // the same import, after an interruption
      const refused = command.rows.flatMap((row, ordinal) => {
        const why = refusal(standing(row), superseded.get(row));
        return why ? [{ row, correctionRow: ordinal + 1, ...why }] : [];
      });
      const lost = new Set(refused.map(({ row }) => row));
      const rows = command.rows.filter((row) => !lost.has(row));
      return [{ type: "RowsClaimed", data: { importId, correction, rows, refused, by, at } }];
    }
    case "dismissRows": {
      const taken = command.rows.find((row) => standing(row)?.why === "claimed");
      if (taken !== undefined) throw new Rejection("conflict", `Row ${taken} is already taken by a correction.`);
      const rows = command.rows.filter((row) => standing(row) === undefined);
      return rows.length === 0 ? [] : [{ type: "RowsDismissed", data: { importId, rows, note: command.note, by, at } }];
    }
    case "reopenRows": {
      const rows = command.rows.filter((row) => standing(row)?.why === "dismissed");
      return rows.length === 0 ? [] : [{ type: "RowsReopened", data: { importId, rows, by, at } }];
    }
  }
}

export function standingOf(row: number, state: CorrectionsState, ended: ReadonlySet<string>): Standing | undefined {
  const standing = state.rows.get(row);
  return standing?.why === "claimed" && ended.has(standing.importId) ? undefined : standing;
}

function refusal(standing: Standing | undefined, supersededBy: string | undefined): Pick<RefusedRow, "why" | "importId"> | undefined {
  if (standing?.why === "claimed") return { why: "claimed", importId: standing.importId };
  if (standing) return { why: "dismissed" };
  return supersededBy === undefined ? undefined : { why: "superseded", importId: supersededBy };
}
