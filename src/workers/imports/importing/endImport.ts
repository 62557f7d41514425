import { type EndCommand, endImport } from "../../../commands/imports/endImport.js";
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { shortened } from "../../../domain/imports/limits.js";
import { lookUntilFound } from "../../../timeLimit.js";
import { type WorkerDeps, workerOf } from "../deps.js";
import type { HeldTurn } from "../turns/holdTurn.js";
import { contextOf } from "./processImport.js";

const longestReasonBytes = 2_000;

export function failImport(deps: WorkerDeps, held: HeldTurn, reason: string): Promise<LoadedImport> {
  return endWith(deps, held, {
    type: "failImport",
    reason: shortened(reason, longestReasonBytes),
    progress: held.progress,
    by: workerOf(deps),
    now: held.now(),
  });
}

const cancelCommandMs = 2_000;

/** The cancel command records the cancellation with its own principal. The worker does so only if the command has not done it in time. */
export async function endCancelled(deps: WorkerDeps, held: HeldTurn): Promise<LoadedImport> {
  await lookUntilFound(cancelCommandMs, async () => hasEnded(await loadImport(deps.eventStore, held.turn.importId)) || undefined);
  return endWith(deps, held, { type: "cancelImport", by: workerOf(deps), progress: held.progress, now: held.now() });
}

function endWith(deps: WorkerDeps, { turn }: HeldTurn, command: EndCommand): Promise<LoadedImport> {
  const isOver = (loaded: LoadedImport) => loaded.state.status === "none" || hasEnded(loaded);
  return endImport(deps, turn.importId, (loaded) => (isOver(loaded) ? undefined : { command, context: contextOf(deps, loaded) }), turn);
}
