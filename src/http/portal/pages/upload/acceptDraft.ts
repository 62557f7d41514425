// The last step of an upload: the draft becomes an import, unless the same file was sent before and the person has to be told.
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile } from "../../../../commands/imports/acceptFile.js";
import { importOfKey } from "../../../../commands/imports/importStream.js";
import { type KeptFile, releaseFile } from "../../../../commands/imports/keptFiles.js";
import { importWithSameFile } from "../../../../commands/imports/sameFile.js";
import { rememberColumns } from "../../../../commands/organisations/rememberColumns.js";
import { headingsIn, headingsKey } from "../../../../domain/imports/columns/headings.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { ImportRequested } from "../../../../events/importEvents.js";
import { rememberedColumns } from "../../../../queries/organisations/columnChoices.js";
import { presentCatalogueOf } from "../../../../queries/organisations/organisations.js";
import { type FormResult, originOf, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { importPath } from "../imports/importStatus.js";
import { draftIdempotencyKey, withinMs } from "./drafts.js";
import { draftPath } from "./paths.js";

interface DraftToAccept {
  readonly draft: KeptFile;
  readonly path: string;
  /** The import with the same file of which the person was told; empty for none. */
  readonly again: string;
}

/** Idempotent: accepting the draft again leads to the same import. */
export async function acceptDraft(visit: SignedInVisit, deps: PortalDeps, { draft, path, again }: DraftToAccept): Promise<FormResult> {
  const { organisationId, by } = visit.person;
  const { kind, sourceDetails, columns: header, checked } = draft;
  const { name, format, size, sha256 } = draft.file;
  const deadline = deadlineIn(withinMs);
  try {
    const { own, earlier } = await importSentBefore(visit, deps, draft, deadline);
    if (own) return await release(visit, deps, draft, own);
    if (earlier !== undefined && earlier !== again) return { goTo: draftPath(draft.fileId) };
    const { catalogueVersion, now } = await presentCatalogueOf(organisationId, deps.pool);
    const request = await acceptFile(
      { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
      {
        ...{
          organisationId,
          kind,
          by,
          sourceDetails,
          idempotencyKey: draftIdempotencyKey(draft),
          now,
          catalogueVersion,
          withinMs: deadline.leftMs(),
        },
        columns: checked?.columns,
        header: { columns: header, format, notes: [] },
        requestId: visit.requestId,
        file: { path, name, size, sha256 },
      },
    );
    return await release(visit, deps, draft, request);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    // Another request may have made the import, with another choice of columns, or removed the kept file meanwhile.
    const made = await pageOfImportMade(visit, deps, draft);
    if (!made) throw error;
    return made;
  }
}

/** The page of the import that the draft has become already, at another request or before a kill. */
export async function pageOfImportMade(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile): Promise<FormResult | undefined> {
  const { earlier } = await importOfDraft(visit, deps, draft, deadlineIn(withinMs));
  return earlier && release(visit, deps, draft, earlier);
}

async function importOfDraft({ person: { organisationId } }: SignedInVisit, deps: PortalDeps, draft: KeptFile, deadline: Deadline) {
  const { now } = await deadline.within("database", presentCatalogueOf(organisationId, deps.pool));
  const use = { organisationId, idempotencyKey: draftIdempotencyKey(draft), now };
  return { now, ...(await deadline.within("event store", importOfKey(deps.eventStore, use))) };
}

/** The import that the draft has become, also where a kill kept that from being noted; else the last other import with the same file. */
export async function importSentBefore(
  visit: SignedInVisit,
  deps: PortalDeps,
  draft: KeptFile,
  deadline = deadlineIn(withinMs),
): Promise<{ readonly own?: ImportRequested; readonly earlier?: string | undefined }> {
  const { earlier: own, importId, now } = await importOfDraft(visit, deps, draft, deadline);
  if (own) return { own };
  const { kind, file, organisationId } = draft;
  const earlier = await importWithSameFile(deps, { organisationId, kind, sha256: file.sha256, now }, deadline);
  return { earlier: earlier === importId ? undefined : earlier }; // it is being recorded by the same form, sent twice at once
}

/** Ends the wait of a draft whose import is recorded, also for a request that was killed before it could. */
async function release(
  visit: SignedInVisit,
  deps: PortalDeps,
  draft: KeptFile,
  { importId, columns }: ImportRequested,
): Promise<FormResult> {
  const { organisationId, kind } = draft;
  if (columns) {
    const remembered = await rememberedColumns(organisationId, { kind, key: headingsKey(headingsIn(draft.columns)) }, deps.pool);
    if (!remembered || remembered.at < columns.at)
      await rememberColumns(deps.organisations, { organisationId, kind, choice: columns }, originOf(visit));
  }
  await releaseFile(deps, draft, importId);
  return { goTo: importPath(importId) };
}
