// A corrected error report becomes one correction of its import, or several.
import { createHash } from "node:crypto";
import { type CompletedImport, expectWholeShipments } from "../../../../commands/corrections/correctableRows.js";
import { correctionName, correctsOf, submitCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { deadlineIn } from "../../../../commands/deadline.js";
import { type KeptFile, releaseFile, saveKept } from "../../../../commands/imports/keptFiles.js";
import { freePlaces } from "../../../../commands/imports/queue/places.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { CorrectionPart } from "../../../../judging/fileChecks.js";
import { presentCatalogueOf } from "../../../../queries/organisations/organisations.js";
import type { FormResult, Line, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { importPath } from "../imports/importStatus.js";
import { type DraftCopy, draftIdempotencyKey, withinMs } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";
import { draftPath } from "./paths.js";

interface Report {
  readonly draft: KeptFile;
  readonly copy: DraftCopy;
  /** The import whose error report it is. */
  readonly corrects: CompletedImport;
}

/** The most imports that one upload becomes, however many places are free in the queue. */
const mostParts = 20;

/**
 * Sends the rows that are open and that today's rules accept. The other rows stay open, so that the same report can be corrected and sent again.
 * Leads to the import if the whole report was sent as one; otherwise the draft's page says what was sent and what was not.
 */
export async function submitReport(
  visit: SignedInVisit,
  deps: PortalDeps,
  { draft, copy, corrects }: Report,
  say: (line: Line) => void,
  signal: AbortSignal,
): Promise<FormResult> {
  const free = await freePlaces(visit.person.organisationId, deps.limits.maxQueuedImports, deps.pool);
  const judge = { corrects, mostParts: Math.max(1, Math.min(free, mostParts)) };
  const { checked } = await checkDraft(visit, deps, { draft, copy, read: false, judge }, say, signal);
  if (!checked?.report) throw new Error("an error report was judged as another file");
  const { parts, closed } = checked.report;
  const sent: string[] = [];
  let refused: string | undefined;
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted();
    await visit.stillAllowed(); // judging the report may have taken minutes
    say({ share: index / parts.length, text: `Sending part ${index + 1} of ${parts.length}` });
    try {
      sent.push(
        await sendPart(visit, deps, { draft, corrects, part, numbered: parts.length === 1 ? "" : ` (${index + 1} of ${parts.length})` }),
      );
    } catch (error) {
      // The parts that were sent stay sent. The other rows stay open, and the page says so.
      if (!(error instanceof Rejection) || sent.length === 0) throw error;
      refused = error.message;
      break;
    }
  }
  const earlier = draft.checked?.sent?.importIds ?? [];
  const importIds = [...new Set([...earlier, ...sent])];
  const found = { ...checked, report: { ...checked.report, parts: [] } };
  await saveKept(deps.pool, {
    ...draft,
    checked: { take: "", ...draft.checked, undecided: undefined, found, sent: { importIds, refused } },
  });
  const [only] = sent;
  if (only === undefined || importIds.length > 1 || checked.rejected > 0 || closed.length > 0) return { goTo: draftPath(draft.fileId) };
  await releaseFile(deps, draft, only);
  return { goTo: importPath(only) };
}

interface Part extends Omit<Report, "copy"> {
  readonly part: CorrectionPart;
  /** Which part it is, for its name. */
  readonly numbered: string;
}

async function sendPart(visit: SignedInVisit, deps: PortalDeps, { draft, corrects, part, numbered }: Part): Promise<string> {
  const { organisationId, by } = visit.person;
  const { sourceDetails, file } = draft;
  const { path, size, sha256, rows, elements } = part;
  const { now } = await presentCatalogueOf(organisationId, deps.pool);
  const given = sourceDetails === file.name ? correctionName(corrects.request.sourceDetails) : sourceDetails;
  const { importId } = await submitCorrection({ ...deps, maxQueuedImports: deps.limits.maxQueuedImports }, corrects, {
    ...{
      organisationId,
      by,
      now,
      withinMs,
      elements,
      requestId: visit.requestId,
      file: { path, size, sha256 },
      deadline: deadlineIn(withinMs),
    },
    corrects: correctsOf(corrects, rows),
    pushed: await expectWholeShipments(deps.pool, corrects, rows),
    sourceDetails: `${[...given].slice(0, limits.sourceDetailsLength - numbered.length).join("")}${numbered}`,
    sent: { sha256: file.sha256, sourceDetails },
    // The rows are part of the key: a second attempt, when some rows are sent already, is another correction.
    idempotencyKey: `${draftIdempotencyKey(draft)}-${createHash("sha256").update(rows.join()).digest("hex")}`,
  });
  return importId;
}
