// A draft is an uploaded file that is not an import yet. Here are the paths of a draft's pages, and what reads a draft and its file.
import { hash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { loadImport } from "../../../../commands/imports/importStream.js";
import { type FileCheckState, findKeptFile, type KeptFile } from "../../../../commands/imports/keptFiles.js";
import { Rejection } from "../../../../domain/rejection.js";
import { ObjectMissing } from "../../../../portErrors.js";
import type { PortalDeps, SignedInVisit, WorkUpdate } from "../../pageDefinition.js";

export const uploadPath = "/portal/upload";
export const draftPath = (fileId = "{fileId}"): string => `${uploadPath}/${fileId}`;
/** The path of the page Columns without a file. The page changes the remembered columns of earlier files. */
export const columnsPath = `${uploadPath}/columns`;
export const columnsOfDraft = (fileId?: string): string => `${draftPath(fileId)}/columns`;
export const problemRowsPath = (fileId?: string): string => `${draftPath(fileId)}/problem-rows`;

/** The longest time for all store calls of a request together, so that the answer comes within five seconds (see acceptPush.ts). */
export const maxStoreMs = 4_200;

/** A file of activities with more rows is recorded without being judged first. */
export const maxRowsJudgedFirst = 20_000;

const fileGoneMessage = "The file is no longer available. Upload it again. Files are kept for a day.";

export async function requireDraft({ person, params }: SignedInVisit, { pool }: PortalDeps): Promise<KeptFile> {
  const draft = await findKeptFile(person.organisationId, params["fileId"] ?? "", pool);
  if (!draft) throw new Rejection("notFound", fileGoneMessage);
  return draft;
}

/** The same key for every form of the draft, so that sending them again, from any page and by anybody, leads to the same import. */
export const draftIdempotencyKey = ({ fileId }: Pick<KeptFile, "fileId">): string =>
  `portal-${hash("sha256", JSON.stringify(["columns", fileId]))}`;

/** A draft whose file is being read, judged or recorded. */
export interface DraftAtWork {
  readonly visit: SignedInVisit;
  readonly deps: PortalDeps;
  readonly draft: KeptFile;
  /** The file on this machine's disk. The folder also takes other temporary files. */
  readonly copy: { readonly folder: string; readonly path: string };
  readonly say: (line: WorkUpdate) => void;
  readonly signal: AbortSignal;
}

/** Copies the draft's file to a new folder, which the caller removes. */
export async function fetchDraftCopy({ objectStore, tempDir }: PortalDeps, { file }: KeptFile) {
  const folder = await mkdtemp(join(tempDir, "upload-"));
  const path = join(folder, "file");
  try {
    await objectStore.fetch(file.key, path);
    return { folder, path };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error instanceof ObjectMissing ? new Rejection("notFound", fileGoneMessage) : error;
  }
}

/** The import whose error report the file is, if completed. Undefined for another organisation's import, or if it is to be a new file. */
export async function reportedImport(visit: SignedInVisit, deps: PortalDeps, { report, take }: Pick<FileCheckState, "report" | "take">) {
  const { organisationId } = visit.person;
  if (report?.importId === undefined || take === "file") return undefined;
  const { state } = await loadImport(deps.eventStore, report.importId);
  if (state.status !== "completed" || state.request.organisationId !== organisationId) return undefined;
  return loadImportToCorrect(deps, { organisationId, importId: report.importId });
}
