// The last step of an upload: the draft becomes an import, unless the same file was sent before and the person has to be told. A corrected error
// report becomes one correction of its import, or several.
import { hash } from "node:crypto";
import { expectWholeShipments, type ImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { correctionName, correctsOf, submitCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile } from "../../../../commands/imports/acceptFile.js";
import { importOfKey } from "../../../../commands/imports/importStream.js";
import { type KeptFile, releaseFile, saveKept } from "../../../../commands/imports/keptFiles.js";
import { countFreePlaces } from "../../../../commands/imports/queue/places.js";
import { importWithSameFile } from "../../../../commands/imports/sameFile.js";
import { rememberColumns } from "../../../../commands/organisations/rememberColumns.js";
import { headingsIn, headingsKey } from "../../../../domain/imports/columns/headings.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportRequested } from "../../../../events/importEvents.js";
import type { CorrectionPart } from "../../../../judging/fileChecks.js";
import { rememberedColumns } from "../../../../queries/organisations/columnChoices.js";
import { versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import { type FormResult, originOf, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { importPath } from "../imports/importStatus.js";
import { type DraftAtWork, draftIdempotencyKey, draftPath, withinMs } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";

/** Idempotent: accepting the draft again leads to the same import. `again`: the import with the same file of which the person was told. */
export async function acceptDraft({ visit, deps, draft, copy }: DraftAtWork, again: string): Promise<FormResult> {
  const { organisationId, by } = visit.person;
  const { kind, sourceDetails, columns: header, checked } = draft;
  const { name, format, size, sha256 } = draft.file;
  const deadline = deadlineIn(withinMs);
  const { own, earlier } = await importSentBefore(visit, deps, draft, deadline);
  if (own) return release(visit, deps, draft, own);
  if (earlier !== undefined && earlier !== again) return { goTo: draftPath(draft.fileId) };
  const { catalogueVersion, now } = await versionAndClockOf(organisationId, deps.pool);
  const request = await acceptFile(deps, {
    organisationId,
    kind,
    by,
    sourceDetails,
    idempotencyKey: draftIdempotencyKey(draft),
    now,
    catalogueVersion,
    withinMs: deadline.leftMs(),
    columns: checked.columns,
    header: { columns: header, format, notes: [] },
    requestId: visit.requestId,
    file: { path: copy.path, name, size, sha256 },
  });
  return release(visit, deps, draft, request);
}

/**
 * The import that the draft has become meanwhile, by another request that may have removed the kept file, or have had another choice of columns,
 * or before a kill.
 */
export async function orImportMade({ visit, deps, draft }: Pick<DraftAtWork, "visit" | "deps" | "draft">, work: () => Promise<FormResult>) {
  try {
    return await work();
  } catch (error) {
    const { earlier } = error instanceof Rejection ? await importOfDraft(visit, deps, draft, deadlineIn(withinMs)) : {};
    if (!earlier) throw error;
    return release(visit, deps, draft, earlier);
  }
}

async function importOfDraft({ person: { organisationId } }: SignedInVisit, deps: PortalDeps, draft: KeptFile, deadline: Deadline) {
  const { now } = await deadline.within("database", versionAndClockOf(organisationId, deps.pool));
  const use = { organisationId, idempotencyKey: draftIdempotencyKey(draft), now };
  return { now, ...(await deadline.within("event store", importOfKey(deps.eventStore, use))) };
}

/** The import that the draft has become, also where a kill kept that from being noted; else the last other import with the same file. */
export async function importSentBefore(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile, deadline = deadlineIn(withinMs)) {
  const { earlier: own, importId, now } = await importOfDraft(visit, deps, draft, deadline);
  if (own) return { own };
  const { kind, file, organisationId } = draft;
  const earlier = await importWithSameFile(deps, { organisationId, kind, sha256: file.sha256, now }, deadline);
  return { earlier: earlier === importId ? undefined : earlier }; // it is being recorded by the same form, sent twice at once
}

/** Ends the wait of a draft whose import is recorded, also for a request that was killed before it could. */
async function release(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile, { importId, columns }: ImportRequested) {
  const { organisationId, kind } = draft;
  if (columns) {
    const earlierChoice = await rememberedColumns(organisationId, { kind, key: headingsKey(headingsIn(draft.columns)) }, deps.pool);
    if (!earlierChoice || earlierChoice.at < columns.at)
      await rememberColumns(deps.organisations, { organisationId, kind, choice: columns }, originOf(visit));
  }
  await releaseFile(deps, draft, importId);
  return { goTo: importPath(importId) };
}

/** The most imports that one upload becomes, however many places are free in the queue. */
const mostParts = 20;

/**
 * Sends the rows that are open and that today's rules accept. The other rows stay open, so that the same report can be corrected and sent again.
 * Leads to the import if the whole report was sent as one; otherwise the draft's page says what was sent and what was not.
 */
export async function submitReport(work: DraftAtWork, corrects: ImportToCorrect): Promise<FormResult> {
  const { visit, deps, draft, say, signal } = work;
  const free = await countFreePlaces(visit.person.organisationId, deps.maxQueuedImports, deps.pool);
  const judge = { corrects, mostParts: Math.max(1, Math.min(free, mostParts)) };
  const { checked } = await checkDraft(work, { read: false, judge });
  if (!checked?.report) throw new Error("an error report was judged as another file");
  const { parts, closed } = checked.report;
  const sent: string[] = [];
  let refused: string | undefined;
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted();
    await visit.recheckAccess(); // judging the report may have taken minutes
    say({ share: index / parts.length, text: `Sending part ${index + 1} of ${parts.length}` });
    try {
      sent.push(await sendPart(work, corrects, part, parts.length === 1 ? "" : ` (${index + 1} of ${parts.length})`));
    } catch (error) {
      // The parts that were sent stay sent. The other rows stay open, and the page says so.
      if (!(error instanceof Rejection) || sent.length === 0) throw error;
      refused = error.message;
      break;
    }
  }
  const earlier = draft.checked.sent?.importIds ?? [];
  const importIds = [...new Set([...earlier, ...sent])];
  const found = { ...checked, report: { ...checked.report, parts: [] } };
  await saveKept(deps.pool, {
    ...draft,
    checked: { ...draft.checked, undecided: undefined, found, sent: { importIds, refused } },
  });
  const [only] = sent;
  if (only === undefined || importIds.length > 1 || checked.rejected > 0 || closed.length > 0) return { goTo: draftPath(draft.fileId) };
  await releaseFile(deps, draft, only);
  return { goTo: importPath(only) };
}

/** `numbered`: which part it is, for its name. */
async function sendPart({ visit, deps, draft }: DraftAtWork, corrects: ImportToCorrect, part: CorrectionPart, numbered: string) {
  const { organisationId, by } = visit.person;
  const { sourceDetails, file } = draft;
  const { path, size, sha256, rows, elements } = part;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const given = sourceDetails === file.name ? correctionName(corrects.request.sourceDetails) : sourceDetails;
  const { importId } = await submitCorrection(deps, corrects, {
    organisationId,
    by,
    now,
    elements,
    requestId: visit.requestId,
    file: { path, size, sha256 },
    deadline: deadlineIn(withinMs),
    corrects: correctsOf(corrects, rows),
    pushedElements: await expectWholeShipments(deps.pool, corrects, rows),
    sourceDetails: `${[...given].slice(0, limits.sourceDetailsLength - numbered.length).join("")}${numbered}`,
    sent: { sha256: file.sha256, sourceDetails },
    // The rows are part of the key: a second attempt, when some rows are sent already, is another correction.
    idempotencyKey: `${draftIdempotencyKey(draft)}-${hash("sha256", rows.join())}`,
  });
  return importId;
}
