// What is done with a draft: it is read, judged where it is to be checked, and recorded unless a person has to look at it first.
import { rm } from "node:fs/promises";
import { expectChoosableColumns, resolveColumns } from "../../../../commands/imports/chosenColumns.js";
import { type KeptFile, saveKept } from "../../../../commands/imports/keptFiles.js";
import { rejectWhenFull } from "../../../../commands/imports/queue/places.js";
import { matchImportHeader } from "../../../../domain/files/header.js";
import { datesFault, type Evidence, fileColumns, numbersFault } from "../../../../domain/imports/columns/evidence.js";
import { fileHeadings, headingsIn, headingsKey } from "../../../../domain/imports/columns/headings.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import { rememberedColumns } from "../../../../queries/organisations/columnChoices.js";
import { versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import type { FormResult, PortalDeps, SignedInVisit, Work } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import { importPath } from "../imports/importStatus.js";
import { columnsOfDraft, type DraftAtWork, draftPath, fetchDraftCopy, mostRowsJudgedFirst, reportedImport, withinMs } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";
import { acceptDraft, orImportMade, submitReport } from "./recordDraft.js";

export interface DraftStep {
  readonly act: "check" | "upload";
  /** A workbook whose other sheets are not read, which nobody has been told yet. */
  readonly hasMoreSheets?: boolean;
  /** Set where the person has seen what was found in the file. */
  readonly seen?: boolean;
  /** The import with the same file of which the person was told. */
  readonly again?: string;
}

/** What a browser without scripts is told of work that takes too long. */
export const tooSlow: Readonly<Record<DraftStep["act"], string>> = {
  check: "Checking this file takes too long without JavaScript. Turn on JavaScript, or split the file",
  upload: "Reading this file takes too long without JavaScript. Turn on JavaScript, or split the file",
};

/** A member checks one file at a time, and a file is uploaded only while there is room. What it returns ends the member's check. */
export async function enterDraftWork({ person }: SignedInVisit, deps: PortalDeps, act: DraftStep["act"]): Promise<() => void> {
  const { organisationId, memberId } = person;
  if (act === "check") return deps.fileChecks.enter(memberId);
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  await rejectWhenFull(deps, { organisationId, now, idempotencyKey: undefined, withinMs });
  return () => undefined;
}

/** For a form that is sent without its file. */
export async function draftWork(visit: SignedInVisit, deps: PortalDeps, { draft, ...step }: DraftStep & { readonly draft: KeptFile }) {
  if (draft.importId) return { goTo: importPath(draft.importId) };
  const leave = await enterDraftWork(visit, deps, step.act);
  const work: Work["work"] = async (say, signal) => {
    let copy: DraftAtWork["copy"] | undefined;
    try {
      return await orImportMade({ visit, deps, draft }, async () => {
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

export async function workOnDraft(work: DraftAtWork, { act, seen, again = "", hasMoreSheets }: DraftStep): Promise<FormResult> {
  const { visit, deps, draft } = work;
  const state = draft.checked;
  const toDraft = { goTo: draftPath(draft.fileId) };
  const corrects = await reportedImport(visit, deps, state);
  if (corrects) {
    if (act === "upload" && (seen || !hasMoreSheets)) return submitReport(work, corrects);
    const found = act === "check" ? (await checkDraft(work, { read: false, judge: { corrects } })).checked : undefined;
    await saveKept(deps.pool, { ...draft, checked: { ...state, undecided: undefined, found } });
    return toDraft;
  }
  if (act === "upload" && seen) return acceptDraft(work, again);
  const taken = state.undecided ? await takenColumns(visit, deps, draft) : { toChoose: false as const, columns: state.columns };
  const judged = !taken.toChoose && (act === "check" || draft.kind === "activities");
  const judge = judged ? { columns: taken.columns, mostRows: act === "check" ? undefined : mostRowsJudgedFirst } : undefined;
  const read = state.undecided === true || judge?.mostRows !== undefined;
  const result = read || judge ? await checkDraft(work, { read, judge }) : undefined;
  const evidence = result?.evidence ?? draft.evidence;
  const found = result?.checked;
  await visit.recheckAccess(); // reading the file may have taken minutes
  if (taken.toChoose || (state.undecided && (await isContradicted(work, taken.columns, evidence)))) {
    await saveKept(deps.pool, { ...draft, evidence: await withFirstValues(work, evidence) });
    return { goTo: columnsOfDraft(draft.fileId) };
  }
  const { columns } = taken;
  const decided = {
    ...draft,
    evidence: state.undecided ? evidence : draft.evidence,
    checked: { ...state, undecided: undefined, columns, found },
  };
  await saveKept(deps.pool, decided);
  const hasNewValues = state.undecided === true && Object.keys(columns?.fixed ?? {}).length > 0;
  if (act === "check" || hasMoreSheets || hasNewValues || found?.unusual) return toDraft;
  return acceptDraft({ ...work, draft: decided }, again);
}

/** By our own headings, or as was chosen for earlier files. */
async function takenColumns(visit: SignedInVisit, deps: PortalDeps, { kind, columns }: KeptFile) {
  const { catalogue } = await presentCatalogue(visit, deps);
  const sought = { kind, key: headingsKey(headingsIn(columns)) };
  const earlierChoice = await rememberedColumns(visit.person.organisationId, sought, deps.pool);
  const taken = resolveColumns(catalogue, deps.geography, { kind, columns, earlierChoice });
  if (taken.toChoose) expectChoosableColumns(columns);
  return taken;
}

/** Whether the file's own dates and numbers speak against how they would be read: by what is remembered for it, or by its own headings. */
async function isContradicted({ visit, deps, draft }: DraftAtWork, columns: ImportColumns | undefined, evidence: Evidence) {
  const { kind } = draft;
  const headings = fileColumns(draft.columns, evidence);
  if (columns) return (datesFault(columns, kind, headings) ?? numbersFault(columns, kind, headings)) !== undefined;
  const { catalogue } = await presentCatalogue(visit, deps);
  const match = matchImportHeader(draft.columns, { kind, source: "file", customFieldKeys: catalogue.customFieldKeys });
  const fields = match.ok ? match.fields : [];
  const own = fileHeadings(draft.columns).flatMap((heading, index) => (heading === undefined ? [] : [[heading, fields[index] ?? null]]));
  return numbersFault({ headings: Object.fromEntries(own) }, kind, headings) !== undefined;
}

/** For the page Columns, which is of use without the first values too. */
async function withFirstValues({ visit, deps, draft, copy }: DraftAtWork, evidence: Evidence): Promise<Evidence> {
  expectChoosableColumns(draft.columns);
  const file = { path: copy.path, name: draft.file.name };
  const first = await deps.headerRows.values(visit.person.organisationId, file).catch((error: unknown) => {
    deps.logger.info({ err: error, requestId: visit.requestId }, "the first values of an upload could not be read");
    return [];
  });
  const values = draft.columns.map((_, index) => [...new Set([...(first[index] ?? []), ...(evidence.values[index] ?? [])])]);
  return { ...evidence, values };
}
