import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { ImportFault } from "../../../judging/importFault.js";
import { type OpenSubmission, openSubmission } from "../../../judging/openSubmission.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { WorkerDeps } from "../deps.js";

/** Copies the submission from the object store into the folder, checks that it has the recorded checksum, and opens it. */
export async function fetchSubmission(
  { objectStore, spreadsheets }: Pick<WorkerDeps, "objectStore" | "spreadsheets">,
  request: ImportRequested,
  catalogue: Catalogue,
  folder: string,
): Promise<OpenSubmission> {
  const path = join(folder, "submission");
  try {
    await objectStore.fetch(request.file.key, path);
  } catch (error) {
    if (error instanceof ObjectMissing) throw new ImportFault("The submitted file is no longer stored. Send it again.");
    throw error;
  }
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  if (hash.digest("hex") !== request.file.sha256) {
    throw new ImportFault("The stored file is not the one that was sent: its checksum differs. Send it again.");
  }
  return openSubmission(spreadsheets, request, catalogue, { path, folder });
}
