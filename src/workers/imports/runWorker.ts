import { rm } from "node:fs/promises";
import { backOffMs } from "../../backOff.js";
import { claimTurn, isAnyImportQueued, type Turn } from "../../commands/imports/queue/turns.js";
import { dropSignInMonths } from "../../commands/members/signInRecords.js";
import { channels, noNotices } from "../../ports/notices.js";
import { withTimeLimit } from "../../timeLimit.js";
import { doorbell, waitUntilDue } from "../waiting/doorbell.js";
import { repeatUntilStopped } from "../waiting/repeatUntilStopped.js";
import type { WorkerDeps } from "./deps.js";
import { reconcileQueue } from "./turns/reconcileQueue.js";
import { createRoom, type RoomShare } from "./turns/room.js";
import { takeTurn } from "./turns/takeTurn.js";
import { makeLateReports } from "./upkeep/lateReports.js";
import { forgetSignIns, sweepKept, sweepObjects, sweepUploads } from "./upkeep/sweeps.js";
import { ownFolder } from "./upkeep/temporaryFolders.js";

interface WorkerOptions extends WorkerDeps {
  /** How many organisations this process serves at once. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
}

const pollMs = 1_000;
const reconcileMs = 15_000;
/** The tables show a moment later that an import has failed or was cancelled, so reports are looked for often for a while after it. */
const lateReportsMs = { usual: 2_000, quiet: 15_000, afterEnd: 30_000 };
const sweepMs = 3_600_000;
const forgetMs = 60_000;
const outagePause = { firstMs: 1_000, mostMs: 15_000 };
/** If a store does not answer, a turn may not be given back within this time. It then ends with its lease. */
const stopMs = 6_000;

/** Runs imports until the signal aborts. Then it waits for the appends in flight, gives its turns back and returns. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { pool, signal, logger, concurrency = 4, notices = noNotices } = options;
  const folder = await ownFolder(options.tempDir, "worker");
  const bell = doorbell(signal);
  const reports = doorbell(signal);
  let badEndAt = performance.now();
  const endedBadly = () => {
    badEndAt = performance.now();
    reports.ring();
  };
  const untilReportsMs = () => {
    const isQuiet = notices.arrive() && performance.now() - badEndAt > lateReportsMs.afterEnd;
    return isQuiet ? lateReportsMs.quiet : lateReportsMs.usual;
  };
  const hearing = [
    notices.on(channels.importQueued, () => bell.ring()),
    notices.on(channels.importCancelled, endedBadly),
    notices.on(channels.reportWanted, () => reports.ring()),
  ];
  const room = createRoom(concurrency);
  const running = new Set<Promise<void>>();
  let outages = 0;
  let turns = 0;

  const outageMs = () => {
    outages += 1;
    return backOffMs(outages, outagePause);
  };
  const serve = async (turn: Turn, heldFrom: number, share: RoomShare): Promise<boolean> => {
    const outagesBefore = outages;
    const mayWait = await takeTurn({ deps: options, turn, heldFrom, folder, stop: signal, share, outageMs, failed: endedBadly });
    if (outages === outagesBefore) outages = 0;
    return mayWait;
  };
  /** Starts the turn of one more organisation. False when no further one is waiting. */
  const takeNext = async (): Promise<boolean> => {
    turns += 1;
    const heldFrom = performance.now(); // taken before the query, so that the lease ends here before it ends in the database
    const turn = await claimTurn(pool, `${options.workerId}#${turns}`);
    if (!turn) return false;
    const share = room.enter();
    const run = serve(turn, heldFrom, share)
      .catch((error: unknown) => {
        logger.error({ err: error, importId: turn.importId }, "a turn ended with an unexpected error");
        return true;
      })
      .then((mayWait) => {
        share.leave();
        running.delete(run);
        if (mayWait) bell.ring();
      });
    running.add(run);
    return turn.more;
  };
  const tasks = [
    repeatUntilStopped("reconciling the queue", reconcileMs, options, () => reconcileQueue(options)),
    repeatUntilStopped("making error reports", untilReportsMs, { logger, signal, bell: reports }, () => makeLateReports(options, folder)),
    repeatUntilStopped("giving up unfinished uploads", sweepMs, options, async () => void (await sweepUploads(options))),
    repeatUntilStopped("forgetting sign-ins", forgetMs, options, () => forgetSignIns(options)),
    repeatUntilStopped("removing files whose columns nobody chose", sweepMs, options, async () => void (await sweepKept(options))),
    repeatUntilStopped("deleting old sign-ins", sweepMs, options, async () => void (await dropSignInMonths(options))),
    repeatUntilStopped("removing refused uploads", sweepMs, options, async () => void (await sweepObjects(options))),
  ];
  while (!signal.aborted) {
    try {
      if (running.size >= concurrency) await bell.wait(pollMs);
      else if (!(await takeNext()))
        await waitUntilDue(bell, {
          pollMs,
          isTold: notices.arrive,
          dueInMs: async () => ((await isAnyImportQueued(pool)) ? 0 : Number.POSITIVE_INFINITY),
        });
    } catch (error) {
      logger.warn({ err: error }, "the queue cannot be read; trying again");
      await bell.pause(outageMs());
    }
  }
  for (const end of hearing) end();
  await withTimeLimit(stopMs, Promise.all([...running, ...tasks]), () => undefined);
  await rm(folder, { recursive: true, force: true });
}
