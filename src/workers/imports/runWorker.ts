import { rm } from "node:fs/promises";
import { backOffMs } from "../../backOff.js";
import { claimTurn, isAnyImportQueued, type Turn } from "../../commands/imports/queue/turns.js";
import { dropSignInMonths } from "../../commands/members/signInRecords.js";
import { channels, noNotices } from "../../ports/notices.js";
import { withTimeLimit } from "../../timeLimit.js";
import { createDoorbell, waitUntilDue } from "../waiting/doorbell.js";
import { repeatUntilStopped } from "../waiting/repeatUntilStopped.js";
import type { WorkerDeps } from "./deps.js";
import { reconcileQueue } from "./turns/reconcileQueue.js";
import { createRoom, type RoomVisit } from "./turns/room.js";
import { takeTurn } from "./turns/takeTurn.js";
import { makeLateReports } from "./upkeep/lateReports.js";
import { forgetExpiredSignIns, sweepKeptFiles, sweepRefusedUploads, sweepUnfinishedUploads } from "./upkeep/sweeps.js";
import { createOwnFolder } from "./upkeep/temporaryFolders.js";

interface WorkerOptions extends WorkerDeps {
  /** How many organisations this process serves at the same time. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
}

const pollMs = 1_000;
const reconcileMs = 15_000;
/** How often to look for missing reports. `quiet`: notices arrive, and no import has failed or been cancelled for `afterEnd`. */
const lateReportsMs = { usual: 2_000, quiet: 15_000, afterEnd: 30_000 };
const sweepMs = 3_600_000;
const forgetSignInsMs = 60_000;
const outagePause = { firstMs: 1_000, maxMs: 15_000 };
/** How long a stopping worker waits for its turns and tasks. If a store does not answer, a turn ends only when its lease ends. */
const maxStopMs = 6_000;

/** Runs imports until the signal aborts. Then waits for appends in flight, gives the turns back and returns. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { pool, signal, logger, concurrency = 4, notices = noNotices } = options;
  const folder = await createOwnFolder(options.tempDir, "worker");
  const bell = createDoorbell(signal);
  const reportBell = createDoorbell(signal);
  let lastFailedOrCancelledMs = performance.now();
  const onFailedOrCancelled = () => {
    lastFailedOrCancelledMs = performance.now();
    reportBell.ring();
  };
  const reportPauseMs = () => {
    const isQuiet = notices.areArriving() && performance.now() - lastFailedOrCancelledMs > lateReportsMs.afterEnd;
    return isQuiet ? lateReportsMs.quiet : lateReportsMs.usual;
  };
  const unsubscribes = [
    notices.on(channels.importQueued, () => bell.ring()),
    notices.on(channels.importCancelled, onFailedOrCancelled),
    notices.on(channels.reportWanted, () => reportBell.ring()),
  ];
  const room = createRoom(concurrency);
  const running = new Set<Promise<void>>();
  let outages = 0;
  let turnCount = 0;

  const outagePauseMs = () => {
    outages += 1;
    return backOffMs(outages, outagePause);
  };
  const serve = async (turn: Turn, claimStartedAt: number, visit: RoomVisit): Promise<boolean> => {
    const outagesBefore = outages;
    const turnRun = { deps: options, turn, claimStartedAt, folder, stop: signal, visit, outagePauseMs, onFailure: onFailedOrCancelled };
    const othersMayWait = await takeTurn(turnRun);
    if (outages === outagesBefore) outages = 0;
    return othersMayWait;
  };
  /** Starts one more organisation's turn. Returns whether other organisations wait. */
  const takeNext = async (): Promise<boolean> => {
    turnCount += 1;
    const claimStartedAt = performance.now(); // read before the query, so that the lease ends here before it ends in the database
    const turn = await claimTurn(pool, `${options.workerId}#${turnCount}`);
    if (!turn) return false;
    const visit = room.enter();
    const run = serve(turn, claimStartedAt, visit)
      .catch((error: unknown) => {
        logger.error({ err: error, importId: turn.importId }, "a turn ended with an unexpected error");
        return true;
      })
      .then((othersMayWait) => {
        visit.leave();
        running.delete(run);
        if (othersMayWait) bell.ring();
      });
    running.add(run);
    return turn.othersWait;
  };
  const tasks = [
    repeatUntilStopped("reconciling the queue", reconcileMs, options, () => reconcileQueue(options)),
    repeatUntilStopped("making error reports", reportPauseMs, { logger, signal, bell: reportBell }, () => makeLateReports(options, folder)),
    repeatUntilStopped("giving up unfinished uploads", sweepMs, options, async () => void (await sweepUnfinishedUploads(options))),
    repeatUntilStopped("forgetting sign-ins", forgetSignInsMs, options, () => forgetExpiredSignIns(options)),
    repeatUntilStopped("removing uploaded files that nobody recorded", sweepMs, options, async () => void (await sweepKeptFiles(options))),
    repeatUntilStopped("deleting old sign-ins", sweepMs, options, async () => void (await dropSignInMonths(options))),
    repeatUntilStopped("removing refused uploads", sweepMs, options, async () => void (await sweepRefusedUploads(options))),
  ];
  while (!signal.aborted) {
    try {
      if (running.size >= concurrency) await bell.wait(pollMs);
      else if (!(await takeNext()))
        await waitUntilDue(bell, {
          pollMs,
          noticesArrive: notices.areArriving,
          dueInMs: async () => ((await isAnyImportQueued(pool)) ? 0 : Number.POSITIVE_INFINITY),
        });
    } catch (error) {
      logger.warn({ err: error }, "the queue cannot be read; trying again");
      await bell.pause(outagePauseMs());
    }
  }
  for (const unsubscribe of unsubscribes) unsubscribe();
  await withTimeLimit(maxStopMs, Promise.all([...running, ...tasks]), () => undefined);
  await rm(folder, { recursive: true, force: true });
}
