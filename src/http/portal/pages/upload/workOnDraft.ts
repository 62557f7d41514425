// Works on a draft: reads its file, judges the file if needed, and makes the draft an import unless a person must look at something first.
import { rm } from "node:fs/promises";
import { expectChoosableColumns, resolveColumns } from "../../../../commands/imports/chosenColumns.js";
import { type KeptFile, saveKeptFile } from "../../../../commands/imports/keptFiles.js";
import { rejectWhenFull } from "../../../../commands/imports/queue/places.js";
import { matchImportHeader } from "../../../../domain/files/header.js";
import { datesFault, type Evidence, fileColumns, numbersFault } from "../../../../domain/imports/columns/evidence.js";
import { fileHeadings, headingsIn, headingsKey } from "../../../../domain/imports/columns/headings.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import { rememberedColumns } from "../../../../queries/organisations/columnChoices.js";
import { versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import type { FormResult, PortalDeps, SignedInVisit, Work } from "../../pageDefinition.js";
import { currentCatalogue } from "../customers.js";
import { importPath } from "../imports/importStatus.js";
import { columnsOfDraft, type DraftAtWork, draftPath, fetchDraftCopy, maxRowsJudgedFirst, maxStoreMs, reportedImport } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";
import { acceptDraft, orDraftImport, submitReport } from "./recordDraft.js";

export interface DraftStep {
  readonly act: "check" | "upload";
  /** The workbook has more sheets, which are not read, and the person has not been told yet. */
  readonly hasMoreSheets?: boolean;
  /** The person has seen the findings in the file. */
  readonly wasShown?: boolean;
  /** An import with the same file, which the person has been told of. */
  readonly knownImportId?: string;
}

/** The messages for a browser without scripts if the work takes too long. */
export const tooSlow: Readonly<Record<DraftStep["act"], string>> = {
  check: "Checking this file takes too long without JavaScript. Turn on JavaScript, or split the file",
  upload: "Reading this file takes too long without JavaScript. Turn on JavaScript, or split the file",
};

/** Lets a member check one file at a time, and refuses an upload while the queue is full. Returns a function to call after the work. */
export async function enterDraftWork({ person }: SignedInVisit, deps: PortalDeps, act: DraftStep["act"]): Promise<() => void> {
  const { organisationId, memberId } = person;
  if (act === "check") return deps.fileChecks.enter(memberId);
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  await rejectWhenFull(deps, { organisationId, now, idempotencyKey: undefined, withinMs: maxStoreMs });
  return () => undefined;
}

/** The work of a draft's own forms, which are sent without the file. */
export async function draftWork(visit: SignedInVisit, deps: PortalDeps, { draft, ...step }: DraftStep & { readonly draft: KeptFile }) {
  if (draft.importId) return { goTo: importPath(draft.importId) };
  const leave = await enterDraftWork(visit, deps, step.act);
  const work: Work["work"] = async (say, signal) => {
    let copy: DraftAtWork["copy"] | undefined;
    try {
      return await orDraftImport({ visit, deps, draft }, async () => {
        copy = await fetchDraftCopy(deps, draft);
        return workOnDraft({ visit, deps, draft, copy, say, signal }, step);
      });
    } finally {
      leave();
      if (copy) await rm(copy.folder, { recursive: true, force: true });
    }
  };
  return { work, tooSlow: tooSlow[step.act] };
}

export async function workOnDraft(work: DraftAtWork, { act, wasShown, knownImportId = "", hasMoreSheets }: DraftStep): Promise<FormResult> {
  const { visit, deps, draft } = work;
  const state = draft.checked;
  const draftResult = { goTo: draftPath(draft.fileId) };
  const corrects = await reportedImport(visit, deps, state);
  if (corrects) {
    if (act === "upload" && (wasShown || !hasMoreSheets)) return submitReport(work, corrects);
    const found = act === "check" ? (await checkDraft(work, { wantsEvidence: false, judge: { corrects } })).checked : undefined;
    await saveKeptFile(deps.pool, { ...draft, checked: { ...state, undecided: undefined, found } });
    return draftResult;
  }
  if (act === "upload" && wasShown) return acceptDraft(work, knownImportId);
  const resolved = state.undecided ? await resolvedColumns(visit, deps, draft) : { mustChoose: false as const, columns: state.columns };
  const isJudgedNow = !resolved.mustChoose && (act === "check" || draft.kind === "activities"); // finds unusual activities
  const judge = isJudgedNow ? { columns: resolved.columns, maxRows: act === "check" ? undefined : maxRowsJudgedFirst } : undefined;
  const wantsEvidence = state.undecided === true || judge?.maxRows !== undefined;
  const result = wantsEvidence || judge ? await checkDraft(work, { wantsEvidence, judge }) : undefined;
  const evidence = result?.evidence ?? draft.evidence;
  const found = result?.checked;
  await visit.recheckAccess(); // reading the file may have taken minutes
  if (resolved.mustChoose || (state.undecided && (await isContradicted(work, resolved.columns, evidence)))) {
    await saveKeptFile(deps.pool, { ...draft, evidence: await withFirstValues(work, evidence) });
    return { goTo: columnsOfDraft(draft.fileId) };
  }
  const { columns } = resolved;
  const decidedDraft = {
    ...draft,
    evidence: state.undecided ? evidence : draft.evidence,
    checked: { ...state, undecided: undefined, columns, found },
  };
  await saveKeptFile(deps.pool, decidedDraft);
  const hasUnseenFixedValues = state.undecided === true && Object.keys(columns?.fixed ?? {}).length > 0;
  if (act === "check" || hasMoreSheets || hasUnseenFixedValues || found?.unusual) return draftResult;
  return acceptDraft({ ...work, draft: decidedDraft }, knownImportId);
}

/** Resolves the columns by our own headings, or by the remembered choice for earlier files. */
async function resolvedColumns(visit: SignedInVisit, deps: PortalDeps, { kind, columns }: KeptFile) {
  const { catalogue } = await currentCatalogue(visit, deps);
  const headingsId = { kind, key: headingsKey(headingsIn(columns)) };
  const earlierChoice = await rememberedColumns(visit.person.organisationId, headingsId, deps.pool);
  const resolved = resolveColumns(catalogue, deps.geography, { kind, columns, earlierChoice });
  if (resolved.mustChoose) expectChoosableColumns(columns);
  return resolved;
}

/** Whether the file's dates and numbers contradict how they would be read: by the remembered choice, or by our own headings. */
async function isContradicted({ visit, deps, draft }: DraftAtWork, columns: ImportColumns | undefined, evidence: Evidence) {
  const { kind } = draft;
  const headings = fileColumns(draft.columns, evidence);
  if (columns) return (datesFault(columns, kind, headings) ?? numbersFault(columns, kind, headings)) !== undefined;
  const { catalogue } = await currentCatalogue(visit, deps);
  const match = matchImportHeader(draft.columns, { kind, source: "file", customFieldKeys: catalogue.customFieldKeys });
  const fields = match.ok ? match.fields : [];
  const pairs = fileHeadings(draft.columns).flatMap((heading, index) => (heading === undefined ? [] : [[heading, fields[index] ?? null]]));
  return numbersFault({ headings: Object.fromEntries(pairs) }, kind, headings) !== undefined;
}

/** Adds the first values of each column for the page Columns, which works without them if they cannot be read. */
async function withFirstValues({ visit, deps, draft, copy }: DraftAtWork, evidence: Evidence): Promise<Evidence> {
  expectChoosableColumns(draft.columns);
  const file = { path: copy.path, name: draft.file.name };
  const first = await deps.headerRows.readValues(visit.person.organisationId, file).catch((error: unknown) => {
    deps.logger.info({ err: error, requestId: visit.requestId }, "the first values of an upload could not be read");
    return [];
  });
  const values = draft.columns.map((_, index) => [...new Set([...(first[index] ?? []), ...(evidence.values[index] ?? [])])]);
  return { ...evidence, values };
}
