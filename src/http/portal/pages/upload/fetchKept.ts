// A file that is kept comes back as the form with which it was sent.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { KeptFile } from "../../../../commands/imports/keptFiles.js";
import { Rejection } from "../../../../domain/rejection.js";
import { ObjectMissing } from "../../../../portErrors.js";
import type { PortalDeps } from "../../page.js";
import type { ReceivedForm } from "./receiveForm.js";

export const noLongerKept = "The file is no longer available. Upload it again. Files are kept for a day.";

/** A kept file becomes one import, however often, by whomever and from whichever page a form is sent. */
export const keyOfKept = ({ fileId }: Pick<KeptFile, "fileId">): string =>
  `portal-${createHash("sha256")
    .update(JSON.stringify(["columns", fileId]))
    .digest("hex")}`;

/** Copies the file to this machine. The caller removes the folder. */
export async function fetchFile({ objectStore, tempDir }: Pick<PortalDeps, "objectStore" | "tempDir">, { file }: KeptFile) {
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

/** The caller removes the folder. */
export async function fetchKept(deps: PortalDeps, kept: KeptFile, again: string): Promise<ReceivedForm> {
  const { kind, sourceDetails, checked, file } = kept;
  const { name, size, sha256 } = file;
  const copy = await fetchFile(deps, kept);
  const upload = { ...copy, name, size, sha256, sourceDetails, fields: new Map<string, string>() };
  return { kind, upload, take: checked?.take ?? "", again, checked: "", idempotencyKey: keyOfKept(kept) };
}
