import { setTimeout } from "node:timers/promises";
import { untilNoConflict } from "../../../commands/handle.js";
import type { ImportCommand } from "../../../commands/imports/importDecider.js";
import { carryOut, hasEnded, loadImport } from "../../../commands/imports/importStream.js";
import { shortened } from "../../../domain/imports/limits.js";
import { type WorkerDeps, workerOf } from "../deps.js";
import type { HeldTurn } from "../turns/holdTurn.js";
import { contextOf } from "./processImport.js";

const longestReasonBytes = 2_000;

export function failImport(deps: WorkerDeps, held: HeldTurn, reason: string): Promise<void> {
  return endWith(deps, held, {
    type: "failImport",
    reason: shortened(reason, longestReasonBytes),
    progress: held.progress,
    by: workerOf(deps),
    now: held.now(),
  });
}

const cancelCommandMs = 2_000;
const lookMs = 50;

/** The cancel command records the cancellation with its own principal. The worker does so only if the command has not done it in time. */
export async function endCancelled(deps: WorkerDeps, held: HeldTurn): Promise<void> {
  for (const deadline = performance.now() + cancelCommandMs; performance.now() < deadline; ) {
    if (hasEnded(await loadImport(deps.eventStore, held.turn.importId))) return;
    await setTimeout(lookMs);
  }
  await endWith(deps, held, { type: "cancelImport", by: workerOf(deps), progress: held.progress, now: held.now() });
}

function endWith(deps: WorkerDeps, held: HeldTurn, command: ImportCommand): Promise<void> {
  return untilNoConflict(async () => {
    const loaded = await loadImport(deps.eventStore, held.turn.importId);
    if (loaded.state.status === "none" || hasEnded(loaded)) return;
    await carryOut(deps.eventStore, loaded, command, contextOf(deps, loaded));
  });
}
