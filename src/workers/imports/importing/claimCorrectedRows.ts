import { claimRows } from "../../../commands/corrections/correctionsStream.js";
import { loadImport } from "../../../commands/imports/importStream.js";
import { workerPrincipal } from "../../../domain/principal.js";
import { refusal } from "../../../domain/rows/faults.js";
import type { EventContext } from "../../../events/codec.js";
import type { RefusedRow } from "../../../events/correctionEvents.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { readStartedEvent } from "../../../events/importLayout.js";
import { ImportFault } from "../../../judging/importFault.js";
import type { Refusals } from "../../../judging/prepareRows.js";
import { hasLedgerReached, supersededRows } from "../../../queries/lookUps/rejectedRows.js";
import { waitUntilProjected } from "../../../queries/lookUps/waitUntilProjected.js";
import type { WorkerDeps } from "../deps.js";
import type { Lease } from "../turns/holdTurn.js";

/** Claims the rows that this import corrects, before it records its first row. Returns why rows were refused, by ordinal from 0. */
export async function claimCorrectedRows(
  deps: WorkerDeps,
  lease: Lease,
  request: ImportRequested,
  context: EventContext,
): Promise<Refusals> {
  const { corrects, importId, organisationId, kind } = request;
  if (!corrects) return new Map();
  const { position } = await loadImport(deps.eventStore, corrects.importId);
  if (position === undefined) throw new ImportFault(`The import to correct, ${corrects.importId}, does not exist.`);
  const superseded = async () => {
    if (kind !== "shipments") return new Map<number, string>();
    await waitForLedger(deps, lease, importId);
    return supersededRows(organisationId, position, corrects.rows, deps.pool);
  };
  lease.check();
  const claim = { importId: corrects.importId, correction: importId, rows: corrects.rows, superseded };
  const refusedRows = await claimRows(deps.eventStore, { ...claim, by: workerPrincipal(deps), now: lease.now() }, context);
  return new Map(refusedRows.map((row) => [row.correctionRow - 1, refusal(whyRefused(row))]));
}

const whyRefused = ({ why, importId }: RefusedRow): string =>
  ({
    claimed: `Already corrected by import ${importId}`,
    dismissed: "Dismissed after the correction was sent",
    superseded: `Superseded by import ${importId}, which wrote this shipment`,
    reversed: "The row that it corrects is reversed",
    withdrawn: "The import whose row it corrects is reversed",
  })[why];

const maxLedgerLagMs = 10_000;

/** Imports that ran before may have written the same shipments. The ledger has those as soon as it has this import's ImportStarted. */
async function waitForLedger({ eventStore, pool }: WorkerDeps, lease: Lease, importId: string): Promise<void> {
  const started = await readStartedEvent(eventStore, importId);
  if (!started) throw new Error(`import ${importId} has not started`);
  const lookForStart = async () => {
    lease.check();
    return (await hasLedgerReached(started.position.commit, pool)) || undefined;
  };
  await waitUntilProjected(lookForStart, "The projector has not caught up: a correction waits for it", maxLedgerLagMs);
}
