import { join } from "node:path";
import { decide, evolve, type ImportState } from "../../../commands/imports/importDecider.js";
import { encodeAll, handleImport, hasEnded, type LoadedImport, loadImport } from "../../../commands/imports/importStream.js";
import { reportKey } from "../../../commands/imports/storedObjects.js";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import { progressOf, readingShare } from "../../../domain/imports/progress.js";
import { unusualLimits } from "../../../domain/imports/unusual.js";
import { workerOf } from "../../../domain/principal.js";
import { rowContext } from "../../../domain/rows/rowContext.js";
import type { EventContext } from "../../../events/codec.js";
import type { ImportCompleted, ImportRequested, RowOutcome } from "../../../events/importEvents.js";
import { ImportFault } from "../../../judging/importFault.js";
import { outcomeRecorder, prepareRows } from "../../../judging/prepareRows.js";
import { createReportFile } from "../../../judging/report/reportFile.js";
import { createUnusualFinder } from "../../../judging/unusualRows.js";
import type { NewEvent } from "../../../ports/eventStore.js";
import { areFiguresComplete, usualFiguresFromLedger } from "../../../queries/lookUps/usualFiguresFromLedger.js";
import { waitUntilProjected } from "../../../queries/lookUps/waitUntilProjected.js";
import type { WorkerDeps } from "../deps.js";
import { type HeldTurn, Interrupted } from "../turns/holdTurn.js";
import { beginOldest } from "../turns/reconcileQueue.js";
import type { RoomShare } from "../turns/room.js";
import { claimCorrectedRows } from "./claimCorrectedRows.js";
import { fetchSubmission } from "./fetchSubmission.js";
import { type EventWriter, eventWriter, recordRows } from "./recordRows.js";

type Processing = Extract<ImportState, { status: "processing" }>;

/**
 * Runs an import from the head of its stream to its end. Undefined if it had ended before. When it throws, everything appended so far stays
 * valid, and the next turn goes on from there.
 */
export async function processImport(deps: WorkerDeps, held: HeldTurn, folder: string, room: RoomShare): Promise<LoadedImport | undefined> {
  held.check();
  const found = await loadImport(deps.eventStore, held.turn.importId);
  if (found.state.status === "none" || hasEnded(found)) return undefined;
  if (!room.take(found.state.request.file)) throw new Interrupted("there is no room");
  await beginOldest(deps, held.turn);
  const loaded = await start(deps, held, found);
  const writer = eventWriter({ eventStore: deps.eventStore, loaded, check: held.check, landed: () => held.note({ headway: true }) });
  try {
    return await run(deps, held, folder, loaded, writer, room);
  } catch (error) {
    if (error instanceof ImportFault || deps.spreadsheets.isFileFault(error)) await writer.flush(); // the judged rows come first, then ImportFailed
    throw error;
  } finally {
    await writer.waitForAppend(); // an append in flight must not land after the turn is given up
  }
}

async function run(deps: WorkerDeps, held: HeldTurn, folder: string, loaded: StartedImport, writer: EventWriter, room: RoomShare) {
  const { request, started } = loaded.state;
  const context = eventContextOf(deps, request);
  for (const event of loaded.unrecorded) await writer.add(event);
  const catalogue = await deps.catalogues(request.organisationId, started.catalogueVersion);
  const rules = rowContext(catalogue, await deps.localities.geography(started.localities));
  const submission = await fetchSubmission(deps, request, catalogue, folder);
  held.check();
  const refusals = await claimCorrectedRows(deps, held, request, context);
  const watch = async (readSoFar: number) => {
    await room.giveWay();
    held.check();
    held.note({ progress: readSoFar * readingShare });
  };
  const prepared = await prepareRows({ request, submission, context: rules, refusals, watch });
  held.note({ allRows: prepared.rows });
  if (prepared.rows === 0) throw new ImportFault("The file has no rows below its header row.");
  if (request.corrects && prepared.rows !== request.corrects.rows.length)
    throw new ImportFault("The file does not have the rows that it is to correct. Send the corrections again.");
  if (prepared.rows < loaded.state.rows) throw new ImportFault("The file has fewer rows than were recorded from it. Send it again.");
  const outcomes = outcomeRecorder(request, submission.columns, prepared);
  const unusual = createImportUnusualFinder(deps, held, request, catalogue);
  const report = createReportFile(deps.spreadsheets, submission.reported, {
    path: join(folder, "report.xlsx"),
    importId: request.importId,
  });
  try {
    const { state, counts } = await recordRows({
      writer,
      loaded,
      context,
      rows: submission.readAgain(),
      outcomeOf(row, ordinal) {
        const outcome = outcomes(row, ordinal);
        unusual?.note(outcome);
        return outcome;
      },
      rejected: report.add,
      giveWay() {
        held.check(); // a chunk takes a while, and a cancelled import ends at once
        return room.giveWay();
      },
      reached: (rows) => held.note({ progress: progressOf(rows, prepared.rows) }),
    });
    const stored = await report.store(deps.objectStore, reportKey(request));
    const by = workerOf(deps);
    const end = { counts, report: stored, notes: prepared.notes, ...(await unusual?.find()), by, now: held.now() };
    const completed = decide({ type: "completeImport", ...end }, state);
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
  by: workerOf(deps),
  correlationId: requestId,
});

/** Of an import with a file of at most this size, ImportStarted, the rows and the end are one append, as far as they fit. */
const oneAppendBytes = 64 * 1024;

interface StartedImport extends LoadedImport {
  readonly state: Processing;
  /** ImportStarted, where it is appended together with what follows it. */
  readonly unrecorded: readonly NewEvent[];
}

/** Every row is judged by the catalogue and the localities that ImportStarted names, also after an interruption. */
async function start(deps: WorkerDeps, held: HeldTurn, found: LoadedImport): Promise<StartedImport> {
  if (found.state.status === "processing") return noteStart(held, { ...found, state: found.state });
  const { catalogueVersion } = held.turn;
  const localities = await deps.localities.current();
  const command = { type: "startImport", by: workerOf(deps), catalogueVersion, localities, now: held.now() } as const;
  const events = decide(command, found.state);
  const state = events.reduce(evolve, found.state);
  if (state.status !== "processing") throw new Error(`import ${found.importId} is ${state.status} right after its start`);
  const context = eventContextOf(deps, state.request);
  const { file, corrects } = state.request;
  if (file.size <= oneAppendBytes && !corrects) return { ...found, state, unrecorded: encodeAll(found, events, context) };
  return noteStart(held, { ...(await handleImport(deps.eventStore, found, command, context)), state });
}

function noteStart(held: HeldTurn, loaded: LoadedImport & { readonly state: Processing }): StartedImport {
  held.note({ startedAt: new Date(loaded.state.started.at) });
  return { ...loaded, unrecorded: [] };
}

/** How long the projector may be behind. Then the import gives its turn back, and goes on from here in its next one. */
const mostLagMs = 30_000;

/**
 * Notes every row that an import accepts, also those recorded before an interruption, and says at its end which are unusual. The
 * organisation's earlier imports are waited for then, which the tables usually have by that time.
 */
function createImportUnusualFinder({ pool }: WorkerDeps, held: HeldTurn, request: ImportRequested, { file }: Catalogue) {
  const { kind, organisationId, source, corrects } = request;
  if (kind !== "activities") return undefined;
  const at = new Date(request.at);
  const finder = createUnusualFinder({ at, source, off: file.unusual?.off ?? [] });
  const replaced = corrects?.accepted && { importId: corrects.importId, rows: corrects.accepted };
  return {
    note(outcome: RowOutcome) {
      if (outcome.type === "RowAccepted") finder.add(outcome.data.row, outcome.data.values);
    },
    async find(): Promise<Pick<ImportCompleted, "unusual" | "unusualRows"> | undefined> {
      const look = async () => {
        held.check();
        return (await areFiguresComplete(organisationId, request.importId, pool)) || undefined;
      };
      await waitUntilProjected(look, "The projector has not caught up: unusual rows wait for it", mostLagMs);
      const found = await finder.find(usualFiguresFromLedger(organisationId, { at, replaced, limits: unusualLimits }, pool));
      return found && { unusual: [...found.kinds], unusualRows: found.count };
    },
  };
}
