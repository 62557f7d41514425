import { claimRows } from "../../../commands/corrections/correctionsStream.js";
import { loadImport } from "../../../commands/imports/importStream.js";
import { workerOf } from "../../../domain/principal.js";
import { refusal } from "../../../domain/rows/faults.js";
import type { EventContext } from "../../../events/codec.js";
import type { RefusedRow } from "../../../events/correctionEvents.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { startedEvent } from "../../../events/importLayout.js";
import { ImportFault } from "../../../judging/importFault.js";
import type { Refusals } from "../../../judging/prepareRows.js";
import { ledgerHas, supersededRows } from "../../../queries/lookUps/rejectedRows.js";
import { waitUntilProjected } from "../../../queries/lookUps/waitUntilProjected.js";
import type { WorkerDeps } from "../deps.js";
import type { HeldTurn } from "../turns/holdTurn.js";

/** Claims the rows that this import corrects, before it records its first row. Returns the reasons of the refused rows, by ordinal. */
export async function claimCorrectedRows(
  deps: WorkerDeps,
  held: HeldTurn,
  request: ImportRequested,
  context: EventContext,
): Promise<Refusals> {
  const { corrects, importId, organisationId, kind } = request;
  if (!corrects) return new Map();
  const { position } = await loadImport(deps.eventStore, corrects.importId);
  if (position === undefined) throw new ImportFault(`There is no import ${corrects.importId}, whose rows these are to correct.`);
  const superseded = async () => {
    if (kind !== "shipments") return new Map<number, string>();
    await waitForLedger(deps, held, importId);
    return supersededRows(organisationId, position, corrects.rows, deps.pool);
  };
  held.check();
  const wanted = { importId: corrects.importId, correction: importId, rows: corrects.rows, superseded };
  const refused = await claimRows(deps.eventStore, { ...wanted, by: workerOf(deps), now: held.now() }, context);
  return new Map(refused.map((row) => [row.correctionRow - 1, refusal(whyRefused(row))]));
}

const whyRefused = ({ why, importId }: RefusedRow): string =>
  ({
    claimed: `Already corrected by import ${importId}`,
    dismissed: "Dismissed after the correction was sent",
    superseded: `Superseded by import ${importId}, which has written this shipment since`,
    reversed: "The row that it corrects is reversed",
    withdrawn: "The import whose row it corrects is reversed",
  })[why];

const ledgerMs = 10_000;

/** Waits for the ledger: imports that ran before this one may have written the same shipments. It has them once it has this import's ImportStarted. */
async function waitForLedger({ eventStore, pool }: WorkerDeps, held: HeldTurn, importId: string): Promise<void> {
  const started = await startedEvent(eventStore, importId);
  if (!started) throw new Error(`import ${importId} has not started`);
  const look = async () => {
    held.check();
    return (await ledgerHas(started.position.commit, pool)) || undefined;
  };
  await waitUntilProjected(look, "The projector has not caught up: a correction waits for it", ledgerMs);
}
