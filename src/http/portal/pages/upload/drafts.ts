// A draft: an uploaded file that is no import yet. It is found by its id, and fetched for what is done with it.
import { hash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { completedImport } from "../../../../commands/corrections/correctableRows.js";
import { loadImport } from "../../../../commands/imports/importStream.js";
import { type FileCheckState, type KeptFile, keptFile } from "../../../../commands/imports/keptFiles.js";
import { Rejection } from "../../../../domain/rejection.js";
import { ObjectMissing } from "../../../../portErrors.js";
import type { Line, PortalDeps, SignedInVisit } from "../../pageDefinition.js";

export const uploadPath = "/portal/upload";
/** Where a file waits that is no import yet. */
export const draftPath = (fileId = "{fileId}"): string => `${uploadPath}/${fileId}`;
/** The page Columns without a file: it changes what was chosen for earlier files. */
export const columnsPath = `${uploadPath}/columns`;
export const columnsOfDraft = (fileId?: string): string => `${draftPath(fileId)}/columns`;
export const problemRowsPath = (fileId?: string): string => `${draftPath(fileId)}/problem-rows`;

/** For all store calls of a request together, as for the API's pushes (acceptPush.ts): the answer comes within five seconds. */
export const withinMs = 4_200;

/** A file of activities with more rows is recorded without being judged first. */
export const mostRowsJudgedFirst = 20_000;

const noLongerKept = "The file is no longer available. Upload it again. Files are kept for a day.";

export async function requireDraft({ person, params }: SignedInVisit, { pool }: PortalDeps): Promise<KeptFile> {
  const draft = await keptFile(person.organisationId, params["fileId"] ?? "", pool);
  if (!draft) throw new Rejection("notFound", noLongerKept);
  return draft;
}

/** Idempotent: sending a form of the draft again, from any page and by anybody, leads to the same import. */
export const draftIdempotencyKey = ({ fileId }: Pick<KeptFile, "fileId">): string =>
  `portal-${hash("sha256", JSON.stringify(["columns", fileId]))}`;

/** A draft while something is done with its file. */
export interface DraftAtWork {
  readonly visit: SignedInVisit;
  readonly deps: PortalDeps;
  readonly draft: KeptFile;
  /** On this machine's disk. */
  readonly copy: { readonly folder: string; readonly path: string };
  readonly say: (line: Line) => void;
  readonly signal: AbortSignal;
}

/** The caller removes the folder. */
export async function fetchDraftCopy({ objectStore, tempDir }: PortalDeps, { file }: KeptFile) {
  const folder = await mkdtemp(join(tempDir, "upload-"));
  const path = join(folder, "file");
  try {
    await objectStore.fetch(file.key, path);
    return { folder, path };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error instanceof ObjectMissing ? new Rejection("notFound", noLongerKept) : error;
  }
}

/** The import whose error report the file is. Undefined where it is taken for a new file, and where that import is not completed or is another organisation's. */
export async function reportedImport(visit: SignedInVisit, deps: PortalDeps, { report, take }: Pick<FileCheckState, "report" | "take">) {
  const { organisationId } = visit.person;
  if (report?.importId === undefined || take === "file") return undefined;
  const { state } = await loadImport(deps.eventStore, report.importId);
  if (state.status !== "completed" || state.request.organisationId !== organisationId) return undefined;
  return completedImport(deps, { organisationId, importId: report.importId });
}
