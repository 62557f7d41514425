// Which rejected rows of an import are claimed by a correction, and which are dismissed. A claim holds while the correcting import runs
// and after it has completed. An import that failed or was cancelled has written nothing, so another may claim its rows.
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { RefusedRow, RowsClaimed } from "../../events/correctionEvents.js";
import type { EventOn } from "../../events/registry.js";

type CorrectionEvent = EventOn<"corrections">;

export type Standing = { readonly why: "claimed"; readonly importId: string } | { readonly why: "dismissed"; readonly by: Principal };

export interface CorrectionsState {
  /** By correcting import. */
  readonly claims: Map<string, RowsClaimed>;
  /** By row: who has it, or that it is dismissed; no entry for an open row. */
  readonly rows: Map<number, Standing>;
}

export type CorrectionCommand =
  | {
      readonly type: "claimRows";
      readonly correction: string;
      readonly rows: readonly number[];
      /** By row: the import that has written the row's shipment since. */
      readonly superseded: ReadonlyMap<number, string>;
      readonly by: Principal;
      readonly now: Date;
    }
  | { readonly type: "dismissRows"; readonly rows: readonly number[]; readonly note: string; readonly by: Principal; readonly now: Date }
  | { readonly type: "reopenRows"; readonly rows: readonly number[]; readonly by: Principal; readonly now: Date };

/** `ended` are the claimants that have failed or were cancelled. */
export function decide(
  importId: string,
  command: CorrectionCommand,
  state: CorrectionsState,
  ended: ReadonlySet<string>,
): CorrectionEvent[] {
  const { by } = command;
  const at = command.now.toISOString();
  switch (command.type) {
    case "claimRows": {
      if (state.claims.has(command.correction)) return []; // the same import, after an interruption
      const refused = command.rows.flatMap((row, ordinal) => {
        const why = refusal(row, state, ended, command.superseded.get(row));
        return why ? [{ row, correctionRow: ordinal + 1, ...why }] : [];
      });
      const lost = new Set(refused.map(({ row }) => row));
      const rows = command.rows.filter((row) => !lost.has(row));
      return [{ type: "RowsClaimed", data: { importId, correction: command.correction, rows, refused, by, at } }];
    }
    case "dismissRows": {
      const taken = command.rows.filter((row) => standingOf(row, state, ended)?.why === "claimed");
      if (taken.length > 0) throw new Rejection("conflict", `Row ${taken[0]} is already taken by a correction.`);
      const rows = command.rows.filter((row) => standingOf(row, state, ended) === undefined);
      return rows.length === 0 ? [] : [{ type: "RowsDismissed", data: { importId, rows, note: command.note, by, at } }];
    }
    case "reopenRows": {
      const rows = command.rows.filter((row) => standingOf(row, state, ended)?.why === "dismissed");
      return rows.length === 0 ? [] : [{ type: "RowsReopened", data: { importId, rows, by, at } }];
    }
  }
}

export function standingOf(row: number, state: CorrectionsState, ended: ReadonlySet<string>): Standing | undefined {
  const standing = state.rows.get(row);
  return standing?.why === "claimed" && ended.has(standing.importId) ? undefined : standing;
}

function refusal(
  row: number,
  state: CorrectionsState,
  ended: ReadonlySet<string>,
  supersededBy: string | undefined,
): Pick<RefusedRow, "why" | "importId"> | undefined {
  const standing = standingOf(row, state, ended);
  if (standing?.why === "claimed") return { why: "claimed", importId: standing.importId };
  if (standing) return { why: "dismissed" };
  return supersededBy === undefined ? undefined : { why: "superseded", importId: supersededBy };
}

export const untouched = (): CorrectionsState => ({ claims: new Map(), rows: new Map() });

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
