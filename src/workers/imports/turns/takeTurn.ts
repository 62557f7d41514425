import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backOffMs } from "../../../backOff.js";
import { type EndCommand, endImport } from "../../../commands/imports/endImport.js";
import { hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { removePlace } from "../../../commands/imports/queue/places.js";
import { postponeTurn, type Turn } from "../../../commands/imports/queue/turns.js";
import { shortenToBytes } from "../../../domain/imports/limits.js";
import { workerPrincipal } from "../../../domain/principal.js";
import { rowsBefore } from "../../../events/importLayout.js";
import { ImportFault } from "../../../judging/importFault.js";
import { StoreUnavailable, WrongVersion } from "../../../portErrors.js";
import { noNotices } from "../../../ports/notices.js";
import { lookUntilFound } from "../../../timeLimit.js";
import type { WorkerDeps } from "../deps.js";
import { eventContextOf, processImport } from "../importing/processImport.js";
import { holdTurn, Interrupted, type Lease } from "./holdTurn.js";
import type { RoomVisit } from "./room.js";

/** After this many turns without an acknowledged append the import fails, so that the next one can run. Outages do not count. */
const maxAttempts = 12;

const maxReasonBytes = 2_000;
const maxCancelCommandMs = 2_000;

const tooManyAttemptsMessage =
  "The import could not be processed because of a fault in the service. Send it again; if it fails again, contact support.";

interface TurnRun {
  readonly deps: WorkerDeps;
  readonly turn: Turn;
  /** `performance.now()` before the turn was claimed. */
  readonly claimStartedAt: number;
  /** The worker's own folder. */
  readonly folder: string;
  readonly stop: AbortSignal;
  readonly visit: RoomVisit;
  /** Returns how long to leave the import alone after an outage. */
  readonly outagePauseMs: () => number;
  /** Called when the import has failed. */
  readonly onFailure: () => void;
}

/** Runs one import until it ends or is interrupted, and gives the turn back either way. Returns whether other imports may wait. */
export async function takeTurn(run: TurnRun): Promise<boolean> {
  const { deps, turn, claimStartedAt, stop } = run;
  const { pool, logger, notices = noNotices } = deps;
  const lease = holdTurn({ pool, turn, notices, stop, logger, claimStartedAt });
  try {
    return await runImport(run, lease);
  } catch (error) {
    await giveBack(run, error);
    return true;
  } finally {
    await lease.stopHeartbeats();
  }
}

async function runImport({ deps, turn, folder, visit, onFailure }: TurnRun, lease: Lease): Promise<boolean> {
  const { importId, organisationId } = turn;
  const end = (how: { readonly type: "failImport"; readonly reason: string } | { readonly type: "cancelImport" }) =>
    endImport(
      deps,
      importId,
      (loaded) => endOf(deps, loaded, { ...how, progress: lease.progress, by: workerPrincipal(deps), now: lease.now() }),
      turn,
    );
  try {
    if (turn.attempts > maxAttempts) throw new ImportFault(tooManyAttemptsMessage);
    const dir = join(folder, randomUUID()); // created when the first file is written into it
    const completed = await processImport(deps, lease, dir, visit).finally(() => existsSync(dir) && rm(dir, { recursive: true }));
    if (completed) return await removePlace(deps.pool, { importId, rows: rowsBefore(completed.revision) }, turn);
    await endImport(deps, importId, () => undefined, turn); // the import had ended before: only removes its place
  } catch (error) {
    if (error instanceof Interrupted && error.why === "a cancellation was requested") {
      // The cancel command appends the cancellation, with its own principal. The worker appends it only if the command is too slow.
      await lookUntilFound(maxCancelCommandMs, async () => hasEnded(await loadImport(deps.eventStore, importId)) || undefined);
      await end({ type: "cancelImport" });
    } else if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) {
      await end({ type: "failImport", reason: shortenToBytes(error.message, maxReasonBytes) });
      onFailure();
      deps.logger.info({ importId, organisationId, reason: error.message }, "import failed");
    } else throw error;
  }
  return true;
}

/** Undefined if the import has ended before. Nothing is appended then. */
const endOf = (deps: WorkerDeps, loaded: LoadedImport, command: EndCommand) =>
  loaded.state.status === "none" || hasEnded(loaded) ? undefined : { command, context: eventContextOf(deps, loaded.state.request) };

async function giveBack({ deps, turn, outagePauseMs }: TurnRun, error: unknown): Promise<void> {
  const { importId, organisationId } = turn;
  if (error instanceof Interrupted && error.why === "the lease has ended") {
    deps.logger.warn({ importId, organisationId }, "the turn's lease ended; the worker that has the turn now goes on with the import");
    return;
  }
  const isStoreOutage = isOutage(error);
  const harmlessDelayMs = harmlessDelayAfter(error);
  if (isStoreOutage) deps.logger.warn({ err: error, importId }, "a store cannot be used; the import is tried again later");
  else if (harmlessDelayMs === undefined)
    deps.logger.error({ err: error, importId, attempt: turn.attempts }, "an unexpected error interrupted an import");
  const delayMs = harmlessDelayMs ?? (isStoreOutage ? outagePauseMs() : backOffMs(turn.attempts, { firstMs: 1_000, maxMs: 60_000 }));
  await postponeTurn(deps.pool, turn, delayMs, isStoreOutage || harmlessDelayMs !== undefined).catch((failure: unknown) => {
    deps.logger.warn({ err: failure, importId }, "the turn could not be given back; it ends with its lease");
  });
}

/** The delay before the next attempt, for interruptions that are not errors. */
function harmlessDelayAfter(error: unknown): number | undefined {
  if (error instanceof WrongVersion) return 0; // another process has appended to the stream: read it again
  if (!(error instanceof Interrupted)) return undefined;
  return error.why === "there is no room" ? 500 : error.why === "an older push comes first" ? 250 : 0;
}

/** Errors after which a retry may succeed: a store does not answer, or this machine is out of disk, memory or file handles. */
const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof Error && "code" in error && "syscall" in error);
