import { randomUUID } from "node:crypto";
import { isLonger, limits } from "../../domain/imports/limits.js";
import type { Principal } from "../../domain/principal.js";
import { storable } from "../../domain/pushes/values.js";
import { Rejection } from "../../domain/rejection.js";
import { handle } from "../handle.js";
import { type CorrectionCommand, decide } from "./correctionsDecider.js";
import { correctionsOf, endedClaimants, loadCorrections } from "./correctionsStream.js";
import { type CompletedImport, type CorrectionDeps, completedImport, expectOpen, type ImportAsked } from "./expectOpen.js";
import { expectWholeShipments } from "./rejectedRows.js";

interface Asking extends ImportAsked {
  readonly rows: readonly number[];
  readonly by: Principal;
  readonly requestId: string;
  readonly now: Date;
}

/** Rows that are not to be corrected leave the list of open ones. Dismissing them again changes nothing. */
export async function dismissRows(deps: CorrectionDeps, asked: Asking & { readonly note: string }): Promise<void> {
  const { note, by, now } = asked;
  expectSomeRows(asked.rows);
  if (isLonger(note, limits.textLength) || !storable(note))
    throw new Rejection("invalid", `note must be at most ${limits.textLength} characters.`);
  const found = await completedImport(deps, asked);
  await expectWholeShipments(deps.pool, found, asked.rows);
  const open = await notDismissed(deps, asked);
  await expectOpen(deps, found, open);
  await carryOut(deps, found, asked, { type: "dismissRows", rows: asked.rows, note, by, now });
}

/** Dismissed rows are open again; rows that are not dismissed stay as they are. */
export async function reopenRows(deps: CorrectionDeps, asked: Asking): Promise<void> {
  const { by, now } = asked;
  expectSomeRows(asked.rows);
  const found = await completedImport(deps, asked);
  await expectWholeShipments(deps.pool, found, asked.rows);
  await carryOut(deps, found, asked, { type: "reopenRows", rows: asked.rows, by, now });
}

function expectSomeRows(rows: readonly number[]): void {
  if (rows.length === 0 || rows.length > limits.rowsPerCorrection)
    throw new Rejection("invalid", `Choose 1 to ${limits.rowsPerCorrection} rows.`);
}

async function notDismissed({ eventStore }: CorrectionDeps, { importId, rows }: Asking): Promise<number[]> {
  const state = await loadCorrections(eventStore, importId);
  return rows.filter((row) => state.rows.get(row)?.why !== "dismissed");
}

async function carryOut(
  { eventStore }: CorrectionDeps,
  { request }: CompletedImport,
  asked: Asking,
  command: CorrectionCommand,
): Promise<void> {
  const { importId, organisationId } = request;
  const context = { organisation: organisationId, by: asked.by, correlationId: asked.requestId };
  await handle({ events: eventStore, newId: randomUUID }, correctionsOf(importId), context, async (state) =>
    decide(importId, command, state, await endedClaimants(eventStore, state, asked.rows)),
  );
}
