import { join } from "node:path";
import type { ImportState } from "../../../commands/imports/importDecider.js";
import { handleImport, hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { reportKey } from "../../../commands/imports/storedObjects.js";
import { progressOf, readingShare } from "../../../domain/imports/progress.js";
import { rowContext } from "../../../domain/rows/rowContext.js";
import type { EventContext } from "../../../events/codec.js";
import { ImportFault } from "../../../judging/importFault.js";
import { openSubmission } from "../../../judging/openSubmission.js";
import { prepareRows } from "../../../judging/prepareRows.js";
import { rowOutcomes } from "../../../judging/rowOutcome.js";
import { presentOf } from "../../../queries/organisations/organisations.js";
import { type WorkerDeps, workerOf } from "../deps.js";
import { type HeldTurn, Interrupted } from "../turns/holdTurn.js";
import { beginOldest } from "../turns/reconcileQueue.js";
import type { Visit } from "../turns/room.js";
import { claimCorrectedRows } from "./claimCorrectedRows.js";
import { unusualOf } from "./findUnusual.js";
import { errorReport, fetchSubmission } from "./importFiles.js";
import { recordRows } from "./recordRows.js";

type Processing = Extract<ImportState, { status: "processing" }>;

/**
 * Runs an import from the head of its stream to its end. Undefined if it had ended before. When it throws, everything appended so far stays
 * valid, and the next turn goes on from there.
 */
export async function processImport(deps: WorkerDeps, held: HeldTurn, folder: string, visit: Visit): Promise<LoadedImport | undefined> {
  held.check();
  const found = await loadImport(deps.eventStore, held.turn.importId);
  if (found.state.status === "none" || hasEnded(found)) return undefined;
  if (!visit.take(found.state.request.file)) throw new Interrupted("there is no room");
  await beginOldest(deps, held.turn);
  return run(deps, held, folder, found, visit.giveWay);
}

async function run(
  deps: WorkerDeps,
  held: HeldTurn,
  folder: string,
  found: LoadedImport,
  giveWay: Visit["giveWay"],
): Promise<LoadedImport> {
  const context = contextOf(deps, found);
  const loaded = await start(deps, held, found, context);
  const { request, started } = loaded.state;
  const catalogue = await deps.catalogues(request.organisationId, started.catalogueVersion);
  const rules = rowContext(catalogue, await deps.localities.geography(started.localities));
  const path = join(folder, "submission");
  await fetchSubmission(deps.objectStore, request.file, path);
  held.check();
  const submission = await openSubmission(deps.spreadsheets, request, catalogue, { path, folder });
  const refusals = await claimCorrectedRows(deps, held, loaded, context);
  const prepared = await prepareRows(request, submission, rules, refusals, async (share) => {
    await giveWay();
    held.check();
    held.reach(share * readingShare);
  });
  held.countedRows(prepared.rows);
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  if (request.corrects && prepared.rows !== request.corrects.rows.length)
    throw new ImportFault("The file does not have the rows that it is to correct. Send the corrections again.");
  if (prepared.rows < loaded.state.rows) throw new ImportFault("The file has fewer rows than were recorded from it. Send it again.");
  const outcomes = rowOutcomes(request, submission.columns, prepared);
  const unusual = unusualOf(deps, held, request, catalogue);
  const report = errorReport(deps.spreadsheets, submission.reported, { path: join(folder, "report.xlsx"), importId: request.importId });
  try {
    const recorded = await recordRows({
      eventStore: deps.eventStore,
      loaded,
      context,
      rows: submission.readAgain(),
      outcomeOf(row, ordinal) {
        const outcome = outcomes(row, ordinal);
        unusual?.note(outcome);
        return outcome;
      },
      rejected: report.add,
      landed: held.madeHeadway,
      giveWay() {
        held.check(); // a chunk takes a while, and a cancelled import ends at once
        return giveWay();
      },
      watch(rows) {
        held.check();
        held.reach(progressOf(rows, prepared.rows));
      },
    });
    const stored = await report.store(deps.objectStore, reportKey(request));
    const found = await unusual?.find();
    held.check();
    const { counts } = recorded;
    const completed = await handleImport(
      deps.eventStore,
      recorded.loaded,
      { type: "completeImport", counts, report: stored, notes: prepared.notes, unusual: found, by: workerOf(deps), now: held.now() },
      context,
    );
    deps.logger.info({ importId: request.importId, organisationId: request.organisationId, counts }, "import completed");
    return completed;
  } finally {
    await report.discard();
  }
}

export function contextOf(deps: WorkerDeps, { importId, state }: LoadedImport): EventContext {
  if (state.status === "none") return { organisation: "", by: workerOf(deps), correlationId: importId };
  const { organisationId, requestId } = state.request;
  return { organisation: organisationId, by: workerOf(deps), correlationId: requestId };
}

/** Every row is judged by the catalogue and the localities that ImportStarted names, also after an interruption. */
async function start(deps: WorkerDeps, held: HeldTurn, found: LoadedImport, context: EventContext) {
  const loaded =
    found.state.status === "processing"
      ? found
      : await handleImport(
          deps.eventStore,
          found,
          {
            type: "startImport",
            by: workerOf(deps),
            catalogueVersion: (await presentOf(held.turn.organisationId, deps.pool)).catalogueVersion,
            localities: await deps.localities.current(),
            now: held.now(),
          },
          context,
        );
  if (loaded.state.status === "processing") held.started(new Date(loaded.state.started.at));
  if (loaded.state.status !== "processing") throw new Error(`import ${loaded.importId} is ${loaded.state.status} right after its start`);
  return { ...loaded, state: loaded.state satisfies Processing };
}
