// The last step of an upload: the draft becomes an import, unless the same file was sent before and the person must first be told. A
// corrected error report becomes one or more corrections of its import.
import { hash } from "node:crypto";
import { expectWholeShipments, type ImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { correctionName, correctsOf, submitCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile } from "../../../../commands/imports/acceptFile.js";
import { importOfKey } from "../../../../commands/imports/importStream.js";
import { type KeptFile, releaseKeptFile, saveKeptFile } from "../../../../commands/imports/keptFiles.js";
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
import { type DraftAtWork, draftIdempotencyKey, draftPath, maxStoreMs } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";

/** Idempotent: accepting the draft again leads to the same import. The person was told of the import `knownImportId`, of the same file. */
export async function acceptDraft({ visit, deps, draft, copy }: DraftAtWork, knownImportId: string): Promise<FormResult> {
  const { organisationId, by } = visit.person;
  const { kind, sourceDetails, columns: header, checked } = draft;
  const { name, format, size, sha256 } = draft.file;
  const deadline = deadlineIn(maxStoreMs);
  const { draftImport, sameFileImportId } = await importSentBefore(visit, deps, draft, deadline);
  if (draftImport) return releaseDraft(visit, deps, draft, draftImport);
  if (sameFileImportId !== undefined && sameFileImportId !== knownImportId) return { goTo: draftPath(draft.fileId) };
  const { catalogueVersion, now } = await versionAndClockOf(organisationId, deps.pool);
  const request = await acceptFile(deps, {
    organisationId,
    kind,
    by,
    sourceDetails,
    idempotencyKey: draftIdempotencyKey(draft),
    now,
    catalogueVersion,
    withinMs: deadline.remainingMs(),
    columns: checked.columns,
    header: { columns: header, format, notes: [] },
    requestId: visit.requestId,
    file: { path: copy.path, name, size, sha256 },
  });
  return releaseDraft(visit, deps, draft, request);
}

/**
 * Runs some work. If it is refused, but the draft is already an import, leads to that import. Another request may have recorded the
 * draft and removed its file, or chosen other columns; or the process that recorded the draft was killed.
 */
export async function orDraftImport({ visit, deps, draft }: Pick<DraftAtWork, "visit" | "deps" | "draft">, run: () => Promise<FormResult>) {
  try {
    return await run();
  } catch (error) {
    const { earlier } = error instanceof Rejection ? await importOfDraft(visit, deps, draft, deadlineIn(maxStoreMs)) : {};
    if (!earlier) throw error;
    return releaseDraft(visit, deps, draft, earlier);
  }
}

async function importOfDraft({ person: { organisationId } }: SignedInVisit, deps: PortalDeps, draft: KeptFile, deadline: Deadline) {
  const { now } = await deadline.within("database", versionAndClockOf(organisationId, deps.pool));
  const keyUse = { organisationId, idempotencyKey: draftIdempotencyKey(draft), now };
  return { now, ...(await deadline.within("event store", importOfKey(deps.eventStore, keyUse))) };
}

/** The import that the draft became, even if the process was killed before it noted that; else the last other import with the same file. */
export async function importSentBefore(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile, deadline = deadlineIn(maxStoreMs)) {
  const { earlier: draftImport, importId, now } = await importOfDraft(visit, deps, draft, deadline);
  if (draftImport) return { draftImport };
  const { kind, file, organisationId } = draft;
  const earlier = await importWithSameFile(deps, { organisationId, kind, sha256: file.sha256, now }, deadline);
  return { sameFileImportId: earlier === importId ? undefined : earlier }; // `importId`: the same form, sent twice, is recording it
}

/** Releases a draft whose import is recorded, and remembers its columns. A request that was killed may already have done either. */
async function releaseDraft(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile, { importId, columns }: ImportRequested) {
  const { organisationId, kind } = draft;
  if (columns) {
    const earlierChoice = await rememberedColumns(organisationId, { kind, key: headingsKey(headingsIn(draft.columns)) }, deps.pool);
    if (!earlierChoice || earlierChoice.at < columns.at)
      await rememberColumns(deps.organisations, { organisationId, kind, choice: columns }, originOf(visit));
  }
  await releaseKeptFile(deps, draft, importId);
  return { goTo: importPath(importId) };
}

/** The most imports that one upload becomes, even if the queue has more free places. */
const maxImportsPerUpload = 20;

/**
 * Submits the report's open rows that today's rules accept. The other rows stay open, so that the report can be corrected and sent again.
 * Leads to the import if the whole report became one import. Otherwise the draft's page says what was sent and what was not.
 */
export async function submitReport(work: DraftAtWork, corrects: ImportToCorrect): Promise<FormResult> {
  const { visit, deps, draft, say, signal } = work;
  const free = await countFreePlaces(visit.person.organisationId, deps.maxQueuedImports, deps.pool);
  const judge = { corrects, maxParts: Math.max(1, Math.min(free, maxImportsPerUpload)) };
  const { checked } = await checkDraft(work, { wantsEvidence: false, judge });
  if (!checked?.report) throw new Error("an error report was judged as another file");
  const { parts, closed } = checked.report;
  const sentImportIds: string[] = [];
  let refusal: string | undefined;
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted();
    await visit.recheckAccess(); // judging the report may have taken minutes
    say({ share: index / parts.length, text: `Sending part ${index + 1} of ${parts.length}` });
    try {
      sentImportIds.push(await sendPart(work, corrects, part, parts.length === 1 ? "" : ` (${index + 1} of ${parts.length})`));
    } catch (error) {
      // The parts that were sent stay sent. The other rows stay open, and the page says so.
      if (!(error instanceof Rejection) || sentImportIds.length === 0) throw error;
      refusal = error.message;
      break;
    }
  }
  const earlier = draft.checked.sent?.importIds ?? [];
  const importIds = [...new Set([...earlier, ...sentImportIds])];
  const found = { ...checked, report: { ...checked.report, parts: [] } };
  await saveKeptFile(deps.pool, {
    ...draft,
    checked: { ...draft.checked, undecided: undefined, found, sent: { importIds, refused: refusal } },
  });
  const [sentId] = sentImportIds;
  if (sentId === undefined || importIds.length > 1 || checked.rejected > 0 || closed.length > 0) return { goTo: draftPath(draft.fileId) };
  await releaseKeptFile(deps, draft, sentId);
  return { goTo: importPath(sentId) };
}

/** Submits one part. `partSuffix` ends its reference, such as ` (1 of 3)`, or is empty. */
async function sendPart({ visit, deps, draft }: DraftAtWork, corrects: ImportToCorrect, part: CorrectionPart, partSuffix: string) {
  const { organisationId, by } = visit.person;
  const { sourceDetails, file } = draft;
  const { path, size, sha256, rows, elements } = part;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const reference = sourceDetails === file.name ? correctionName(corrects.request.sourceDetails) : sourceDetails;
  const { importId } = await submitCorrection(deps, corrects, {
    organisationId,
    by,
    now,
    elements,
    requestId: visit.requestId,
    file: { path, size, sha256 },
    deadline: deadlineIn(maxStoreMs),
    corrects: correctsOf(corrects, rows),
    pushedElements: await expectWholeShipments(deps.pool, corrects, rows),
    sourceDetails: `${[...reference].slice(0, limits.sourceDetailsLength - partSuffix.length).join("")}${partSuffix}`,
    sent: { sha256: file.sha256, sourceDetails },
    // The rows are part of the key, so that a second attempt with other rows is another correction.
    idempotencyKey: `${draftIdempotencyKey(draft)}-${hash("sha256", rows.join())}`,
  });
  return importId;
}
