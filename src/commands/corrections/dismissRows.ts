import { isLonger, limits } from "../../domain/imports/limits.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import { isStorable } from "../../domain/rows/cells.js";
import type { Stores } from "../../ports/database.js";
import { completedImport, expectWholeShipments, type ImportRef } from "./correctableRows.js";
import { decide } from "./correctionsDecider.js";
import { decideCorrections, loadCorrections } from "./correctionsStream.js";
import { expectOpen } from "./openRows.js";

interface RowsChange extends ImportRef {
  readonly rows: readonly number[];
  readonly by: Principal;
  readonly requestId: string;
  readonly now: Date;
}

/** Rows that are not to be corrected leave the list of open ones. Dismissing them again changes nothing. */
export async function dismissRows(deps: Stores, change: RowsChange & { readonly note: string }): Promise<void> {
  const { importId, rows, note } = change;
  expectSomeRows(rows);
  if (isLonger(note, limits.textLength) || !isStorable(note))
    throw new Rejection("invalid", `note must be at most ${limits.textLength} characters`);
  const found = await completedImport(deps, change);
  await expectWholeShipments(deps.pool, found, rows);
  const { state } = await loadCorrections(deps.eventStore, importId);
  const notDismissed = rows.filter((row) => state.rows.get(row)?.why !== "dismissed");
  await expectOpen(deps, found, notDismissed);
  await decideOn(deps, change, { type: "dismissRows", note });
}

/** Dismissed rows are open again; rows that are not dismissed stay as they are. */
export async function reopenRows(deps: Stores, change: RowsChange): Promise<void> {
  expectSomeRows(change.rows);
  const found = await completedImport(deps, change);
  await expectWholeShipments(deps.pool, found, change.rows);
  await decideOn(deps, change, { type: "reopenRows" });
}

function expectSomeRows(rows: readonly number[]): void {
  if (rows.length === 0 || rows.length > limits.rowsPerCorrection)
    throw new Rejection("invalid", `Choose 1 to ${limits.rowsPerCorrection} rows`);
}

type Change = { readonly type: "dismissRows"; readonly note: string } | { readonly type: "reopenRows" };

function decideOn({ eventStore }: Stores, { organisationId, importId, rows, by, requestId, now }: RowsChange, change: Change) {
  const context = { organisation: organisationId, by, correlationId: requestId };
  return decideCorrections(eventStore, importId, rows, context, (state, released) =>
    decide({ ...change, importId, rows, released, by, now }, state),
  );
}
