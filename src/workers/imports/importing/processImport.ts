import { join } from "node:path";
import { decide, evolve, type ImportState } from "../../../commands/imports/importDecider.js";
import { encodeAll, handleImport, hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { reportKey } from "../../../commands/imports/storedObjects.js";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import { progressOf, readingPercent } from "../../../domain/imports/progress.js";
import { unusualLimits } from "../../../domain/imports/unusual.js";
import { workerPrincipal } from "../../../domain/principal.js";
import { rowContext } from "../../../domain/rows/rowContext.js";
import type { EventContext } from "../../../events/codec.js";
import type { ImportCompleted, ImportRequested, RowOutcome } from "../../../events/importEvents.js";
import { ImportFault } from "../../../judging/importFault.js";
import { outcomeMapper, prepareRows } from "../../../judging/prepareRows.js";
import { createReportFile } from "../../../judging/report/reportFile.js";
import { createUnusualFinder } from "../../../judging/unusualRows.js";
import type { NewEvent } from "../../../ports/eventStore.js";
import { areFiguresComplete, usualFiguresFromLedger } from "../../../queries/lookUps/usualFiguresFromLedger.js";
import { waitUntilProjected } from "../../../queries/lookUps/waitUntilProjected.js";
import type { WorkerDeps } from "../deps.js";
import { Interrupted, type Lease } from "../turns/holdTurn.js";
import { startIfOldest } from "../turns/reconcileQueue.js";
import type { RoomVisit } from "../turns/room.js";
import { claimCorrectedRows } from "./claimCorrectedRows.js";
import { fetchSubmission } from "./fetchSubmission.js";
import { createEventWriter, type EventWriter, recordRows } from "./recordRows.js";

type ProcessingState = Extract<ImportState, { status: "processing" }>;

/** Runs an import until it completes. Undefined if it had ended before. After an error the next turn continues from what is appended. */
export async function processImport(deps: WorkerDeps, lease: Lease, folder: string, visit: RoomVisit): Promise<LoadedImport | undefined> {
  lease.check();
  const loaded = await loadImport(deps.eventStore, lease.turn.importId);
  if (loaded.state.status === "none" || hasEnded(loaded)) return undefined;
  if (!visit.take(loaded.state.request.file)) throw new Interrupted("there is no room");
  await startIfOldest(deps, lease.turn);
  const startedImport = await startImport(deps, lease, loaded);
  const onAppended = () => lease.note({ hasAppended: true });
  const writer = createEventWriter({ eventStore: deps.eventStore, loaded: startedImport, check: lease.check, onAppended });
  try {
    return await processRows(deps, lease, folder, startedImport, writer, visit);
  } catch (error) {
    if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) await writer.flush(); // the judged rows precede ImportFailed
    throw error;
  } finally {
    await writer.waitForAppend(); // an append in flight must not land after the turn is given back
  }
}

async function processRows(deps: WorkerDeps, lease: Lease, folder: string, loaded: StartedImport, writer: EventWriter, visit: RoomVisit) {
  const { request, started } = loaded.state;
  const context = eventContextOf(deps, request);
  for (const event of loaded.unrecorded) await writer.add(event);
  const catalogue = await deps.catalogues(request.organisationId, started.catalogueVersion);
  const rules = rowContext(catalogue, await deps.localities.geography(started.localities));
  const submission = await fetchSubmission(deps, request, catalogue, folder);
  lease.check();
  const refusals = await claimCorrectedRows(deps, lease, request, context);
  const onProgress = async (fractionRead: number) => {
    await visit.giveWay();
    lease.check();
    lease.note({ progress: fractionRead * readingPercent });
  };
  const prepared = await prepareRows({ request, submission, context: rules, refusals, onProgress });
  lease.note({ allRows: prepared.rows });
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  if (request.corrects && prepared.rows !== request.corrects.rows.length)
    throw new ImportFault("The file does not have the rows that it is to correct. Send the corrections again.");
  if (prepared.rows < loaded.state.rows) throw new ImportFault("The file has fewer rows than were recorded from it. Send it again.");
  const mapOutcome = outcomeMapper(request, submission.columns, prepared);
  const unusualFinder = createImportUnusualFinder(deps, lease, request, catalogue);
  const reportFile = { path: join(folder, "report.xlsx"), importId: request.importId };
  const report = createReportFile(deps.spreadsheets, submission.reportedColumns, reportFile);
  try {
    const { state, counts } = await recordRows({
      writer,
      loaded,
      context,
      rows: submission.readAgain(),
      outcomeOf(row, ordinal) {
        const outcome = mapOutcome(row, ordinal);
        unusualFinder?.note(outcome);
        return outcome;
      },
      addRejected: report.add,
      giveWay() {
        lease.check(); // the check before each append is not enough: a chunk takes a while, and a cancelled import is to end soon
        return visit.giveWay();
      },
      onProgress: (rows) => lease.note({ progress: progressOf(rows, prepared.rows) }),
    });
    const storedReport = await report.store(deps.objectStore, reportKey(request));
    const by = workerPrincipal(deps);
    const completion = { counts, report: storedReport, notes: prepared.notes, ...(await unusualFinder?.find()), by, now: lease.now() };
    const completed = decide({ type: "completeImport", ...completion }, state);
    for (const event of encodeAll(loaded, completed, context)) await writer.add(event);
    const revision = await writer.flush();
    deps.logger.info({ importId: request.importId, organisationId: request.organisationId, counts }, "import completed");
    return { ...loaded, state: completed.reduce(evolve, state), revision };
  } finally {
    await report.discard();
  }
}

export const eventContextOf = (deps: WorkerDeps, { organisationId, requestId }: ImportRequested): EventContext => ({
  organisation: organisationId,
  by: workerPrincipal(deps),
  correlationId: requestId,
});

/** For a file up to this size, ImportStarted is appended together with the rows and ImportCompleted, as far as they fit in one append. */
const maxOneAppendBytes = 64 * 1024;

interface StartedImport extends LoadedImport {
  readonly state: ProcessingState;
  /** ImportStarted, if it is to be appended together with the rows. Otherwise empty. */
  readonly unrecorded: readonly NewEvent[];
}

/** Records ImportStarted, or prepares it for a small file. Its catalogue and localities judge every row, even after an interruption. */
async function startImport(deps: WorkerDeps, lease: Lease, loaded: LoadedImport): Promise<StartedImport> {
  if (loaded.state.status === "processing") return noteStart(lease, { ...loaded, state: loaded.state });
  const { catalogueVersion } = lease.turn;
  const localities = await deps.localities.currentVersions();
  const command = { type: "startImport", by: workerPrincipal(deps), catalogueVersion, localities, now: lease.now() } as const;
  const events = decide(command, loaded.state);
  const state = events.reduce(evolve, loaded.state);
  if (state.status !== "processing") throw new Error(`import ${loaded.importId} is ${state.status} right after its start`);
  const context = eventContextOf(deps, state.request);
  const { file, corrects } = state.request;
  if (file.size <= maxOneAppendBytes && !corrects) return { ...loaded, state, unrecorded: encodeAll(loaded, events, context) };
  return noteStart(lease, { ...(await handleImport(deps.eventStore, loaded, command, context)), state });
}

function noteStart(lease: Lease, loaded: LoadedImport & { readonly state: ProcessingState }): StartedImport {
  lease.note({ startedAt: new Date(loaded.state.started.at) });
  return { ...loaded, unrecorded: [] };
}

/** How long an import waits for the projector before it gives its turn back. In its next turn it waits again. */
const maxProjectionLagMs = 30_000;

/**
 * Notes every row that an import accepts, even one recorded before an interruption, and finds the unusual ones at the end. `find` waits
 * until the tables have the organisation's earlier imports. Usually they already have them.
 */
function createImportUnusualFinder({ pool }: WorkerDeps, lease: Lease, request: ImportRequested, { file }: Catalogue) {
  const { kind, organisationId, source, corrects } = request;
  if (kind !== "activities") return undefined;
  const at = new Date(request.at);
  const finder = createUnusualFinder({ pushedAt: at, source, disabledKinds: file.unusual?.off ?? [] });
  const replaced = corrects?.accepted && { importId: corrects.importId, rows: corrects.accepted };
  return {
    note(outcome: RowOutcome) {
      if (outcome.type === "RowAccepted") finder.add(outcome.data.row, outcome.data.values);
    },
    async find(): Promise<Pick<ImportCompleted, "unusual" | "unusualRows"> | undefined> {
      const lookForFigures = async () => {
        lease.check();
        return (await areFiguresComplete(organisationId, request.importId, pool)) || undefined;
      };
      await waitUntilProjected(lookForFigures, "The projector has not caught up: unusual rows wait for it", maxProjectionLagMs);
      const found = await finder.find(usualFiguresFromLedger(organisationId, { at, replaced, limits: unusualLimits }, pool));
      return found && { unusual: [...found.kinds], unusualRows: found.count };
    },
  };
}
