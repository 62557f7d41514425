import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backOffMs } from "../../../backOff.js";
import { type EndCommand, endImport } from "../../../commands/imports/endImport.js";
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { removePlace } from "../../../commands/imports/queue/places.js";
import { postponeTurn, type Turn } from "../../../commands/imports/queue/turns.js";
import { shortened } from "../../../domain/imports/limits.js";
import { workerOf } from "../../../domain/principal.js";
import { rowsBefore } from "../../../events/importLayout.js";
import { ImportFault } from "../../../judging/importFault.js";
import { StoreUnavailable, WrongVersion } from "../../../portErrors.js";
import { noNotices } from "../../../ports/notices.js";
import { lookUntilFound } from "../../../timeLimit.js";
import type { WorkerDeps } from "../deps.js";
import { eventContextOf, processImport } from "../importing/processImport.js";
import { type HeldTurn, holdTurn, Interrupted } from "./holdTurn.js";
import type { RoomShare } from "./room.js";

/** After this many turns without an acknowledged append, outages not counted, the import fails so that the organisation's next one can run. */
const mostAttempts = 12;

const longestReasonBytes = 2_000;
const cancelCommandMs = 2_000;

const tooManyAttempts =
  "The import could not be processed because of a fault in the service. Send it again; if it fails again, contact support.";

interface TurnRun {
  readonly deps: WorkerDeps;
  readonly turn: Turn;
  /** `performance.now()` before the turn was claimed. */
  readonly heldFrom: number;
  /** The worker's own folder. */
  readonly folder: string;
  readonly stop: AbortSignal;
  readonly share: RoomShare;
  /** How long to leave an import alone after an outage. */
  readonly outageMs: () => number;
  /** Called when the import has failed. */
  readonly failed: () => void;
}

/** Runs one import until it ends or is interrupted, and gives the turn back either way. Returns whether other imports may wait. */
export async function takeTurn(run: TurnRun): Promise<boolean> {
  const { deps, turn, heldFrom, stop } = run;
  const { pool, logger, notices = noNotices } = deps;
  const held = holdTurn({ pool, turn, notices, stop, logger, heldFrom });
  try {
    return await work(run, held);
  } catch (error) {
    await giveBack(run, error);
    return true;
  } finally {
    await held.release();
  }
}

async function work({ deps, turn, folder, share, failed }: TurnRun, held: HeldTurn): Promise<boolean> {
  const { importId, organisationId } = turn;
  const end = (how: { readonly type: "failImport"; readonly reason: string } | { readonly type: "cancelImport" }) =>
    endImport(
      deps,
      importId,
      (loaded) => endOf(deps, loaded, { ...how, progress: held.progress, by: workerOf(deps), now: held.now() }),
      turn,
    );
  try {
    if (turn.attempts > mostAttempts) throw new ImportFault(tooManyAttempts);
    const own = join(folder, randomUUID()); // made when something is written into it
    const completed = await processImport(deps, held, own, share).finally(() => existsSync(own) && rm(own, { recursive: true }));
    if (completed) return await removePlace(deps.pool, { importId, rows: rowsBefore(completed.revision) }, turn);
    await endImport(deps, importId, () => undefined, turn); // it has ended before
  } catch (error) {
    if (error instanceof Interrupted && error.why === "a cancellation was requested") {
      // The cancel command records the cancellation with its own principal. The worker does so only if the command has not done it in time.
      await lookUntilFound(cancelCommandMs, async () => hasEnded(await loadImport(deps.eventStore, importId)) || undefined);
      await end({ type: "cancelImport" });
    } else if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) {
      await end({ type: "failImport", reason: shortened(error.message, longestReasonBytes) });
      failed();
      deps.logger.info({ importId, organisationId, reason: error.message }, "import failed");
    } else throw error;
  }
  return true;
}

/** Nothing is to be appended where the import has ended before. */
const endOf = (deps: WorkerDeps, loaded: LoadedImport, command: EndCommand) =>
  loaded.state.status === "none" || hasEnded(loaded) ? undefined : { command, context: eventContextOf(deps, loaded.state.request) };

async function giveBack({ deps, turn, outageMs }: TurnRun, error: unknown): Promise<void> {
  const { importId, organisationId } = turn;
  if (error instanceof Interrupted && error.why === "the lease has ended") {
    deps.logger.warn({ importId, organisationId }, "the turn's lease ended; the worker that has the turn now goes on with the import");
    return;
  }
  const outage = isOutage(error);
  const harmless = delayAfter(error);
  if (outage) deps.logger.warn({ err: error, importId }, "a store cannot be used; the import is tried again later");
  else if (harmless === undefined)
    deps.logger.error({ err: error, importId, attempt: turn.attempts }, "an unexpected error interrupted an import");
  const delayMs = harmless ?? (outage ? outageMs() : backOffMs(turn.attempts, { firstMs: 1_000, mostMs: 60_000 }));
  await postponeTurn(deps.pool, turn, delayMs, outage || harmless !== undefined).catch((failure: unknown) => {
    deps.logger.warn({ err: failure, importId }, "the turn could not be given back; it ends with its lease");
  });
}

/** The delay before the next attempt, for interruptions that are not errors. */
function delayAfter(error: unknown): number | undefined {
  if (error instanceof WrongVersion) return 0; // another process has appended to the stream: read it again
  if (!(error instanceof Interrupted)) return undefined;
  return error.why === "there is no room" ? 500 : error.why === "an older push comes first" ? 250 : 0;
}

/** A retry may succeed: a store does not answer, or this machine is out of disk, memory or file handles. */
const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && "code" in error && "syscall" in error);
