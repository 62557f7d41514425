import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Catalogue } from "../../../domain/catalogue/catalogue.js";
import type { ImportRequested } from "../../../events/importEvents.js";
import { ImportFault } from "../../../judging/importFault.js";
import { type OpenSubmission, openSubmission } from "../../../judging/openSubmission.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { WorkerDeps } from "../deps.js";

/** CSV files up to this size are not written to disk. Most are pushes of a few rows, and writing them took a fifth of a worker's time. */
export const maxBytesInMemory = 64 * 1024;

/** Fetches the submission from the object store, checks that it has the recorded checksum, and opens it. Creates `folder` if needed. */
export async function fetchSubmission(
  { objectStore, spreadsheets }: Pick<WorkerDeps, "objectStore" | "spreadsheets">,
  request: ImportRequested,
  catalogue: Catalogue,
  folder: string,
): Promise<OpenSubmission> {
  const { key, size, format, sha256 } = request.file;
  const fetchToFile = async (path: string) => mkdir(folder, { recursive: true }).then(() => objectStore.fetch(key, path).then(() => path));
  const isSmall = size <= maxBytesInMemory && format === "csv";
  const source = await (isSmall ? objectStore.read(key) : fetchToFile(join(folder, "submission"))).catch((error: unknown) => {
    if (error instanceof ObjectMissing) throw new ImportFault("The submitted file is no longer stored. Send it again.");
    throw error;
  });
  const hash = createHash("sha256");
  if (typeof source === "string") await pipeline(createReadStream(source), hash);
  else hash.update(source);
  if (hash.digest("hex") !== sha256) {
    throw new ImportFault("The stored file is not the one that was sent: its checksum differs. Send it again.");
  }
  return openSubmission(spreadsheets, request, catalogue, { source, folder });
}
