import { isLongerThan, limits } from "../../domain/imports/limits.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { isStorable } from "../../domain/rows/cells.js";
import type { Stores } from "../../ports/database.js";
import { expectWholeShipments, type ImportRef, loadImportToCorrect } from "./correctableRows.js";
import { decide } from "./correctionsDecider.js";
import { decideCorrections, loadCorrections } from "./correctionsStream.js";
import { expectOpen } from "./openRows.js";

interface RowsChange extends ImportRef {
  readonly rows: readonly number[];
  readonly by: Principal;
  readonly requestId: string;
  readonly now: Date;
}

/** Takes rows that will not be corrected off the list of open rows. Dismissing them again changes nothing. */
export async function dismissRows(deps: Stores, change: RowsChange & { readonly note: string }): Promise<void> {
  const { importId, rows, note } = change;
  expectSomeRows(rows);
  if (isLongerThan(note, limits.textLength) || !isStorable(note))
    throw new Rejection("invalid", `note must be at most ${limits.textLength} characters`);
  const original = await loadImportToCorrect(deps, change);
  await expectWholeShipments(deps.pool, original, rows);
  const { state } = await loadCorrections(deps.eventStore, importId);
  const notDismissed = rows.filter((row) => state.rows.get(row)?.why !== "dismissed");
  await expectOpen(deps, original, notDismissed);
  await recordDecision(deps, change, { type: "dismissRows", note });
}

/** Opens dismissed rows again. Rows that are not dismissed stay as they are. */
export async function reopenRows(deps: Stores, change: RowsChange): Promise<void> {
  expectSomeRows(change.rows);
  const original = await loadImportToCorrect(deps, change);
  await expectWholeShipments(deps.pool, original, change.rows);
  await recordDecision(deps, change, { type: "reopenRows" });
}

function expectSomeRows(rows: readonly number[]): void {
  if (rows.length === 0 || rows.length > limits.rowsPerCorrection)
    throw new Rejection("invalid", `Choose 1 to ${limits.rowsPerCorrection} rows`);
}

type RowsDecision = { readonly type: "dismissRows"; readonly note: string } | { readonly type: "reopenRows" };

function recordDecision({ eventStore }: Stores, change: RowsChange, decision: RowsDecision) {
  const { organisationId, importId, rows, by, requestId, now } = change;
  const context = { organisation: organisationId, by, correlationId: requestId };
  return decideCorrections(eventStore, importId, rows, context, (state, released) =>
    decide({ ...decision, importId, rows, released, by, now }, state),
  );
}
